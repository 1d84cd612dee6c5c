import { unknownId } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, denied, invalid, missing, stale, unavailable } from "@assistant/kit/wire/fault.js";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "./gateway.js";
import { type RawAnswer, type RawRequest, send } from "./raw.js";

/** A context as a request brings it. */
export const house = { title: "House style", category_id: "cat_a", context: "Answer briefly.", scope_id: "org_a" };

const { scope_id, ...fields } = house;
const stored = { id: "ctx_1", ...fields, scope: { type: "SCOPE_TYPE_ORG" as const, scope_id }, stack_order: 0 };

/** The context as answers show it. */
export const shown = { ...stored, scope: { type: "org", scope_id } };

/** A client with a token, before a gateway and a contexts service that does what the fields of a request ask for. */
export interface TestClient {
  readonly gateway: TestGateway;
  readonly token: string;
  /** The last change as it reached the service. */
  seen(): Call;
  as(request: RawRequest): Promise<RawAnswer>;
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<RawAnswer>;
}

export async function startTestClient(): Promise<TestClient> {
  const calls: Call[] = [];
  const gateway = await startTestGateway({ contexts: handlers(calls) });
  const token = await gateway.identity.token({});
  const as = (request: RawRequest) =>
    send(gateway.port, { ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } });
  return {
    gateway,
    token,
    as,
    seen: () => {
      const call = calls.at(-1);
      if (call === undefined) throw new Error("no change has reached the service");
      return call;
    },
    post: (body, headers = {}) =>
      as({
        method: "POST",
        path: "/api/core/contexts",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  };
}

/** The body of a problem with one entry. */
export function detail(type: string, loc: readonly string[], msg: string, input: unknown = null, ctx: object = {}) {
  return { detail: [{ type, loc, msg, input, ctx }] };
}

type ContextsHandlers = NonNullable<TestGatewayOptions["contexts"]>;

function handlers(calls: Call[]): ContextsHandlers {
  return {
    createContext: async ({ category_id, title = "" }, call) => {
      calls.push(call);
      if (category_id === "cat_unknown") throw invalid(unknownId("category_id"));
      const failure = failures[title];
      if (failure !== undefined) throw failure();
      call.reply.version = 1;
      if (call.idempotencyKey === "again") call.reply.replayed = true;
      return { context: stored };
    },
    getContext: async ({ context_id }, call) => {
      if (context_id !== "ctx_1") throw missing();
      call.reply.version = 3;
      return { context: stored };
    },
    updateContext: async (_request, call) => {
      calls.push(call);
      if (call.ifMatch !== undefined && call.ifMatch !== "*" && !call.ifMatch.includes("3")) throw stale();
      call.reply.version = 4;
      return { context: stored };
    },
    deleteContext: async () => {
      throw conflict("state");
    },
    listContexts: async ({ page_size = -1 }) => ({
      items: [{ ...stored, stack_order: page_size }],
      next_page_token: undefined,
    }),
  };
}

/** What the service does for a title. */
const failures: Readonly<Record<string, () => Error>> = {
  forbidden: () => denied(),
  scope: () => denied(["scope_id"]),
  taken: () => conflict("name_taken", ["title"]),
  running: () => conflict("in_flight", ["header", "idempotency-key"]),
  down: () => unavailable("no database", undefined, 5),
  bug: () => new Error("secret cause"),
};
