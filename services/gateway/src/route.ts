import type { Rpc } from "@assistant/kit/wire/rpc.js";
import type { File } from "@assistant/proto/assistant/common/v1/file.js";

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
  /**
   * Takes the cookie that identity leaves with browsers: fills `refresh_cookie` and `origin` of the request, and answers
   * `set_cookie` of the response as a header.
   */
  readonly cookie?: true;
  /** Takes the credentials of a client by HTTP Basic too: fills `client_id` and `client_secret` of the request. */
  readonly basic?: true;
  /** Answers or changes a single resource that has a version: ETag, If-None-Match, If-Match. */
  readonly versioned: boolean;
  /** Absent: by whether the rpc has side effects. */
  readonly deadline?: Pace;
  /** Absent: by whether the rpc has side effects. */
  readonly rate?: RateClass;
  /** Cache-Control of a success, where it may be kept. */
  readonly cache?: string;
  /** The row answers bytes. */
  readonly file?: FileAnswer;
  /** The row serves once more what another does, for those who know only this path: an operator may close it. */
  readonly alias?: true;
}

/** How bytes are answered. */
export interface FileAnswer {
  /** The response field that holds them. */
  readonly field: string;
  /** What the bytes may be. */
  readonly media: readonly [string, ...string[]];
  /** The bytes go under the one of `media` that the client prefers; the last where it takes none of them. */
  readonly isNamedByClient: boolean;
  /** Clients that do not ask for such media get `respond` as JSON. */
  readonly hasJson: boolean;
}

export type Method = "get" | "post" | "put" | "patch" | "delete";
/** How long an operation may take: `read` 5 s, `write` 10 s. */
export type Pace = "read" | "write";
/** Which budget a request is counted against. */
export type RateClass = "read" | "write" | "convert" | "token" | "login" | "acs" | "consume";

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

/**
 * A row that answers the bytes of a `File` in the response, with `json` another field as JSON to those who prefer that.
 * What the rpc does not know does not compile either.
 */
export function file<
  Request extends object,
  Response extends object,
  const Path extends string,
  const Held extends FileField<Response>,
  const Shown extends "*" | Exclude<Field<Response>, Held> = never,
>(path: Path & Named<Path, Field<Request>>, rpc: Rpc<Request, Response>, options: FileOptions<Held, Shown>): Route {
  const { file: field, media, namedByClient = false, json, ...rest } = options;
  const answer = { field, media, isNamedByClient: namedByClient, hasJson: json !== undefined };
  const usual = { status: 200, open: false, form: false, versioned: false } as const;
  return { ...usual, ...rest, respond: json ?? field, file: answer, method: "get", path, rpc };
}

interface FileOptions<Held, Shown> {
  file: Held;
  media: readonly [string, ...string[]];
  namedByClient?: true;
  json?: Shown;
  open?: true;
  alias?: true;
  rate?: RateClass;
  cache?: string;
}

/** The fields of a response that hold a file. */
type FileField<Message> = {
  [Name in Field<Message>]-?: NonNullable<Message[Name]> extends File ? Name : never;
}[Field<Message>];

interface RowOptions<Request, Path extends string, Shown> {
  body?: "*" | Exclude<Field<Request>, Parameter<Path>>;
  respond: Shown;
  status?: 200 | 201 | 202;
  open?: true;
  form?: true;
  cookie?: true;
  basic?: true;
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
export type Named<Path extends string, Known extends string> = [Exclude<Parameter<Path>, Known>] extends [never]
  ? unknown
  : { readonly "no such field": Exclude<Parameter<Path>, Known> };
