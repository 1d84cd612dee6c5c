import { describe, expect, test } from "@jest/globals";
import { createBreaker } from "./breaker.js";

function breakerAt(startMs = 0) {
  let nowMs = startMs;
  const breaker = createBreaker(() => nowMs);
  return {
    breaker,
    record: (count: number, succeeded: boolean | undefined) => {
      for (let call = 0; call < count; call += 1) {
        breaker.record(succeeded);
      }
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe("opening", () => {
  test("19 failures leave it closed, the 20th opens it", () => {
    const { breaker, record } = breakerAt();
    record(19, false);
    expect([breaker.isOpen, breaker.admits()]).toEqual([false, true]);
    record(1, false);
    expect([breaker.isOpen, breaker.admits()]).toEqual([true, false]);
  });

  test("less than half of the calls failing leaves it closed, half opens it", () => {
    const { breaker, record } = breakerAt();
    record(11, true);
    record(10, false);
    expect(breaker.isOpen).toBe(false);
    record(1, false);
    expect(breaker.isOpen).toBe(true);
  });

  test("what happened more than 10 s ago does not count, not even after a silence", () => {
    const { breaker, record, pass } = breakerAt();
    record(19, false);
    pass(60_000);
    record(1, false);
    expect(breaker.isOpen).toBe(false);
  });

  test("failures spread over 10 s count together", () => {
    const { breaker, record, pass } = breakerAt();
    for (let second = 0; second < 10; second += 1) {
      record(2, false);
      pass(999);
    }
    expect(breaker.isOpen).toBe(true);
  });

  test("calls that their callers gave up say nothing", () => {
    const { breaker, record } = breakerAt();
    record(100, undefined);
    record(19, false);
    expect(breaker.isOpen).toBe(false);
  });
});

describe("probing", () => {
  test("one call a second is let through while it is open", () => {
    const { breaker, record, pass } = breakerAt(5_000);
    record(20, false);
    pass(999);
    expect(breaker.admits()).toBe(false);
    pass(1);
    expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
    record(1, false);
    pass(1_000);
    expect([breaker.isOpen, breaker.admits(), breaker.admits()]).toEqual([true, true, false]);
  });

  test("a probe that succeeds closes it, and the past is forgotten", () => {
    const { breaker, record, pass } = breakerAt();
    record(20, false);
    pass(1_000);
    expect(breaker.admits()).toBe(true);
    record(1, true);
    record(1, false);
    expect([breaker.isOpen, breaker.admits()]).toEqual([false, true]);
  });

  test("a probe that is given up leaves it open for the next", () => {
    const { breaker, record, pass } = breakerAt();
    record(20, false);
    pass(1_000);
    expect(breaker.admits()).toBe(true);
    record(1, undefined);
    pass(1_000);
    expect([breaker.isOpen, breaker.admits()]).toEqual([true, true]);
  });
});
