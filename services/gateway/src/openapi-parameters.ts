/** The headers that requests may carry. */
export const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes it safe to send the request again: the same key and body answer the first answer again for 24 hours.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "The change is made only if the resource still has this ETag.",
    schema: { type: "string" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "Answers 304 without a body if the resource still has this ETag.",
    schema: { type: "string" },
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    description: "`handling=strict` refuses fields and parameters that the operation does not know.",
    schema: { type: "string" },
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    description: "Name of this request in logs and in the answer; made up if left out or of another form.",
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" },
  },
} as const;
