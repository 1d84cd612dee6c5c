/** The headers that answers carry. */
export const headers = {
  RequestId: { description: "Name of the request, in our logs too.", schema: { type: "string" } },
  ETag: { description: "Version of the resource, for `If-Match` and `If-None-Match`.", schema: { type: "string" } },
  UploadETag: { description: "Stands for the bytes: equal ones have the same.", schema: { type: "string" } },
  ContentDisposition: {
    description: "The name that the file had, with its new extension.",
    schema: { type: "string" },
  },
  ServerTiming: {
    description: "Where the time went: milliseconds of each step.",
    schema: { type: "string", examples: ["queue;dur=0.1, load;dur=20, export;dur=11.5"] },
  },
  Location: { description: "Where the new resource is found.", schema: { type: "string", format: "uri-reference" } },
  IdempotencyReplayed: {
    description: "`true`: the answer is that of an earlier request with the same key.",
    schema: { type: "string", const: "true" },
  },
  RateLimit: {
    description: "What is left of the window, and seconds until it starts anew.",
    schema: { type: "string" },
  },
  RateLimitPolicy: { description: "Requests in a window, and its seconds.", schema: { type: "string" } },
  RetryAfter: { description: "Seconds after which another try makes sense.", schema: { type: "integer" } },
  WWWAuthenticate: { description: "How to authenticate (RFC 6750).", schema: { type: "string" } },
} as const;

const common = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
const retry = { ...common, "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
const challenge = { ...common, "WWW-Authenticate": { $ref: "#/components/headers/WWWAuthenticate" } };

/** What may go wrong with any operation, each with an example. */
export const responses = {
  BadRequest: failure("The request cannot be read: its body is not UTF-8, or a header is malformed.", {
    type: "bad_request",
    loc: ["body"],
    msg: "There was an error parsing the body",
    ctx: { reason: "encoding" },
  }),
  Unauthenticated: failure(
    "No token, or one that is malformed, expired or revoked.",
    { type: "unauthenticated", loc: ["header", "authorization"], msg: "Not authenticated" },
    challenge,
  ),
  Forbidden: failure("The caller may know that the thing exists but may not do this.", {
    type: "forbidden",
    loc: ["header", "authorization"],
    msg: "Not permitted",
  }),
  NotFound: failure("There is no such thing, or none that the caller may know of.", {
    type: "not_found",
    loc: ["path"],
    msg: "Not Found",
  }),
  Conflict: failure("The current state forbids it: a name is taken, a request with the same key still runs.", {
    type: "conflict",
    loc: ["body", "name"],
    msg: "Conflict with the current state",
    input: "Region",
    ctx: { reason: "name_taken" },
  }),
  PreconditionFailed: failure("The resource has another version than `If-Match` says.", {
    type: "precondition_failed",
    loc: ["header", "if-match"],
    msg: "Precondition Failed",
    input: '"3"',
  }),
  PayloadTooLarge: failure("The body is larger than 2 MiB.", {
    type: "payload_too_large",
    loc: ["body"],
    msg: "Payload Too Large",
    ctx: { max_bytes: 2_097_152 },
  }),
  UnsupportedMediaType: failure("The body is not JSON.", {
    type: "unsupported_media_type",
    loc: ["header", "content-type"],
    msg: "Unsupported Media Type",
    input: "text/plain",
    ctx: { expected: "application/json" },
  }),
  ValidationError: failure("Values break rules: all of them, at most 32.", {
    type: "string_too_short",
    loc: ["body", "name"],
    msg: "String should have at least 1 character",
    input: "",
    ctx: { min_length: 1 },
  }),
  UploadUnreadable: failure("The form cannot be read: it is cut short, or a part has no name.", {
    type: "bad_request",
    loc: ["body"],
    msg: "Invalid multipart data.",
    ctx: { reason: "multipart" },
  }),
  UploadTooLarge: failure("The file is larger than this platform takes: 100 MiB, unless it is set otherwise.", {
    type: "payload_too_large",
    loc: ["body", "file"],
    msg: "Payload Too Large",
    ctx: { max_bytes: 104_857_600 },
  }),
  UploadUnsupported: failure("Nothing converts such a file, or its content is not what its name says.", {
    type: "unsupported_media_type",
    loc: ["body", "file"],
    msg: "Unsupported Media Type",
    ctx: { detected: "exe", expected: ["docx", "odt"] },
  }),
  UploadRefused: failure("There is no file, or it is empty, damaged, encrypted or too complex.", {
    type: "file_corrupt",
    loc: ["body", "file"],
    msg: "The file is damaged or not what its name says",
  }),
  RateLimited: failure(
    "Too many requests in this minute.",
    { type: "rate_limited", loc: [], msg: "Too Many Requests", ctx: { retry_after: 7 } },
    retry,
  ),
  Internal: failure("An unexpected failure. Its cause is in our logs, under the request id.", {
    type: "internal",
    loc: [],
    msg: "Internal Server Error",
    ctx: { request_id: "4f0c2a7e" },
  }),
  BadGateway: failure("A system outside answered nonsense.", {
    type: "bad_gateway",
    loc: [],
    msg: "Bad Gateway",
    ctx: { request_id: "4f0c2a7e" },
  }),
  Unavailable: failure(
    "A part of the platform is down or full.",
    { type: "unavailable", loc: [], msg: "Service Unavailable", ctx: { retry_after: 1, request_id: "4f0c2a7e" } },
    retry,
  ),
  GatewayTimeout: failure("It took too long.", {
    type: "deadline_exceeded",
    loc: [],
    msg: "Gateway Timeout",
    ctx: { request_id: "4f0c2a7e" },
  }),
  TokenRefused: tokenFailure("The token request is refused.", "invalid_request", "Invalid request", {
    description: "grant_type is missing",
  }),
  ClientRefused: tokenFailure("The client is unknown, or its secret is wrong.", "invalid_client", "Invalid client", {
    sent: challenge,
  }),
} as const;

interface Example {
  readonly type: string;
  readonly loc: readonly string[];
  readonly msg: string;
  readonly input?: unknown;
  readonly ctx?: object;
}

function failure(
  description: string,
  { type, loc, msg, input = null, ctx = {} }: Example,
  sent: object = common,
): object {
  const example = { detail: [{ type, loc, msg, input, ctx }] };
  return content(description, "Problem", example, sent);
}

function tokenFailure(
  text: string,
  error: string,
  msg: string,
  { description = msg, sent = common }: { description?: string; sent?: object },
): object {
  const detail = [{ type: error, loc: ["body"], msg, input: null, ctx: {} }];
  return content(text, "TokenProblem", { error, error_description: description, detail }, sent);
}

function content(description: string, schema: string, example: object, sent: object): object {
  const json = { schema: { $ref: `#/components/schemas/${schema}` }, example };
  return { description, headers: sent, content: { "application/json": json } };
}
