import type { Rpc } from "@assistant/kit/wire/rpc.js";

/** One public operation: which request reaches which rpc, and how its answer is shown. */
export interface Route {
  readonly method: Method;
  /** Public path, parameters in braces: `/api/core/contexts/{context_id}`. */
  readonly path: string;
  readonly rpc: Rpc<object, object>;
  /**
   * The request field that the body fills, `*`: all that are not in the path; absent: no body is read. Other fields
   * come from the query.
   */
  readonly body?: string;
  /** The response field that is answered, `*`: the whole response. */
  readonly respond: string;
  readonly status: 200 | 201 | 202;
  /** Where the thing created is found; names in braces are fields of the answer, else of the request. */
  readonly location?: string;
  /** Needs no token. */
  readonly open: boolean;
  /** Speaks RFC 6749: takes a form or JSON and adds `error` to its error bodies. */
  readonly form: boolean;
  /** Answers or changes a single resource that has a version: ETag, If-None-Match, If-Match. */
  readonly versioned: boolean;
  /** Absent: by whether the rpc has side effects. */
  readonly deadline?: Pace;
  /** Absent: by whether the rpc has side effects. */
  readonly rate?: RateClass;
  /** Cache-Control of a success, where it may be kept. */
  readonly cache?: string;
}

export type Method = "get" | "post" | "put" | "patch" | "delete";
/** How long an operation may take: `read` 5 s, `write` 10 s. */
export type Pace = "read" | "write";
/** Which budget a request is counted against. */
export type RateClass = "read" | "write" | "token";

/**
 * A row of the table. What the rpc does not know does not compile: a parameter, body or response field of another name,
 * a streaming rpc.
 */
export function route<
  Request extends object,
  Response extends object,
  const Path extends string,
  const Shown extends "*" | Field<Response>,
  const Location extends string = never,
>(
  method: Method,
  path: Path & Named<Path, Field<Request>>,
  rpc: Rpc<Request, Response>,
  options: RowOptions<Request, Path, Shown> & {
    location?: Location & Named<Location, Field<Request> | Field<Answer<Response, Shown>>>;
  },
): Route {
  return { status: 200, open: false, form: false, versioned: false, ...options, method, path, rpc };
}

interface RowOptions<Request, Path extends string, Shown> {
  body?: "*" | Exclude<Field<Request>, Parameter<Path>>;
  respond: Shown;
  status?: 200 | 201 | 202;
  open?: true;
  form?: true;
  versioned?: true;
  deadline?: Pace;
  rate?: RateClass;
  cache?: string;
}

type Field<Message> = keyof Message & string;

/** What the row answers: the response, or what one of its fields holds. */
type Answer<Response, Shown> = Shown extends keyof Response ? NonNullable<Response[Shown]> : Response;

/** The names in braces of a path. */
type Parameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Parameter<Rest>
  : never;

/** `unknown` where every name in braces is known, so that an intersection with it changes nothing. */
type Named<Path extends string, Known extends string> = [Exclude<Parameter<Path>, Known>] extends [never]
  ? unknown
  : { readonly "no such field": Exclude<Parameter<Path>, Known> };
