import { violation } from "@assistant/kit/rules/violation.js";
import { Fault, type FaultKind } from "@assistant/kit/wire/fault.js";
import { describe, expect, test } from "@jest/globals";
import { problemOf } from "./problem.js";

const context = {
  requestId: "req_1",
  ifMatch: undefined,
  locate: (found: ReturnType<typeof violation>) => ({ ...found, path: ["body", ...found.path], input: "iVBORw0KGgo=" }),
};

function told(kind: FaultKind, type: string, text: string, ctx: object) {
  const violations = [violation(["data"], type, text, { ...ctx })];
  return problemOf(new Fault(kind, "for the log", { violations }), context);
}

describe("what is wrong with bytes", () => {
  test("is told without them: too large, of no kind that is taken", () => {
    expect(told("large", "payload_too_large", "Payload Too Large", { max_bytes: 9 })).toEqual({
      status: 413,
      detail: [
        {
          type: "payload_too_large",
          loc: ["body", "data"],
          msg: "Payload Too Large",
          input: null,
          ctx: { max_bytes: 9 },
        },
      ],
      headers: {},
    });
    expect(told("unsupported", "unsupported_media_type", "Unsupported Media Type", { detected: "x/y" })).toMatchObject({
      status: 415,
      detail: [{ loc: ["body", "data"], input: null, ctx: { detected: "x/y" } }],
    });
  });
});
