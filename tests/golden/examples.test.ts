import { problemOf } from "@assistant/gateway/problem.js";
import { notOneOf, unknownId, violation } from "@assistant/kit/rules/violation.js";
import {
  conflict,
  denied,
  exhausted,
  Fault,
  internal,
  invalid,
  late,
  refused,
  stale,
  unavailable,
} from "@assistant/kit/wire/fault.js";
import { describe, expect, test } from "@jest/globals";
import { readGoldenRows } from "./row.js";

const rows = readGoldenRows().filter((row) => row.op === 0);

/** What went wrong in each example that is about more than one field's value, and what was sent there. */
const examples: Record<string, { error: unknown; input?: unknown }> = {
  "a body's id that names nothing visible": {
    error: invalid(unknownId("category_id")),
    input: "cat_00000000000000000000000000",
  },
  "a model that the org has not enabled": {
    error: invalid(notOneOf(["model"], ["large-1", "small-1"])),
    input: "other",
  },
  "another body under a known key": {
    error: invalid(
      violation(
        ["header", "idempotency-key"],
        "idempotency_key_reused",
        "Idempotency-Key was already used with another body",
      ),
    ),
    input: "k-1",
  },
  "a role that may not do this": { error: denied() },
  "another user named in the body": { error: denied(["user_id"]), input: "usr_a" },
  "a name that is taken": { error: conflict("name_taken", ["name"]), input: "Region" },
  "a key whose first request still runs": { error: conflict("in_flight", ["header", "idempotency-key"]), input: "k-1" },
  "too many requests": { error: exhausted(7) },
  "an unexpected failure": { error: internal(new Error("a cause that nobody is told")) },
  "a dependency answers nonsense": { error: new Fault("upstream", "it said <html>") },
  "a dependency is down": { error: unavailable("contexts is away", undefined, 5) },
  "a dependency is too slow": { error: late() },
};

describe("the examples of the golden file", () => {
  test.each(rows.filter(({ note }) => note in examples))("$note", ({ note, expect: expected }) => {
    const { error, input = null } = examples[note] ?? {};
    const problem = problemOf(error, {
      requestId: "request-1",
      ifMatch: undefined,
      locate: (found) => ({
        ...found,
        path: found.path[0] === "header" || found.path.length === 0 ? found.path : ["body", ...found.path],
        input,
      }),
    });
    const detail = problem.detail.map((entry) => ({ ...entry, ctx: withoutRequestId(entry.ctx) }));
    expect({ status: problem.status, detail }).toEqual({ status: expected.status, detail: expected.detail });
    for (const [name, pattern] of Object.entries(expected.headers ?? {})) {
      const header = Object.entries(problem.headers).find(([key]) => key.toLowerCase() === name)?.[1];
      expect(header).toMatch(new RegExp(pattern));
    }
  });

  test.each(rows.filter(({ note }) => note === "token request"))(
    "a token request refused: $expect.detail.0.type",
    (row) => {
      const [entry] = row.expect.detail ?? [];
      const problem = problemOf(refused(entry?.type ?? ""), {
        requestId: "request-1",
        ifMatch: undefined,
        locate: (found) => ({ ...found, input: null }),
      });
      expect({ status: problem.status, detail: problem.detail }).toEqual({
        status: row.expect.status,
        detail: row.expect.detail,
      });
    },
  );

  test("a version that does not match answers 412 with what was sent", () => {
    const problem = problemOf(stale(), {
      requestId: "request-1",
      ifMatch: '"7"',
      locate: (found) => ({ ...found, input: null }),
    });
    expect(problem).toMatchObject({ status: 412, detail: [{ loc: ["header", "if-match"], input: '"7"' }] });
  });
});

/** The golden file leaves it out; it stands on 5xx only. */
function withoutRequestId({ request_id: _requestId, ...ctx }: Readonly<Record<string, unknown>>) {
  return ctx;
}
