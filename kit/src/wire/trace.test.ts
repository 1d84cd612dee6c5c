import { describe, expect, test } from "@jest/globals";
import { newTraceparent, spanIdOf, takeRequestId, takeTraceparent, traceIdOf } from "./trace.js";

const GOOD = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

describe("traceparent", () => {
  test("a good one is kept, with the ids it holds", () => {
    expect(takeTraceparent(GOOD)).toBe(GOOD);
    expect([traceIdOf(GOOD), spanIdOf(GOOD)]).toEqual(["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"]);
  });

  test.each([
    undefined,
    "",
    GOOD.toUpperCase(),
    GOOD.slice(0, -1),
    `${GOOD}-extra`,
    `01${GOOD.slice(2)}`,
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    `${GOOD}\n`,
  ])("%j is replaced by a new one", (text) => {
    const taken = takeTraceparent(text);
    expect(taken).not.toBe(text);
    expect(takeTraceparent(taken)).toBe(taken);
  });

  test("a new one is like no other", () => {
    expect(newTraceparent()).not.toBe(newTraceparent());
  });
});

describe("request id", () => {
  test.each(["a", "A.b_c-9", "x".repeat(128)])("%s is kept", (id) => {
    expect(takeRequestId(id)).toBe(id);
  });

  test.each([undefined, "", "x".repeat(129), "a b", "a\n", "ü", 'a"b'])("%j is replaced", (id) => {
    expect(takeRequestId(id)).toMatch(/^[0-9a-f-]{36}$/);
  });
});
