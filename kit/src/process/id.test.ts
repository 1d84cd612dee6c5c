import { describe, expect, test } from "@jest/globals";
import { idPrefix, newId } from "./id.js";

describe("a new id", () => {
  test("names its kind and can be told from every other", () => {
    const ids = Array.from({ length: 1_000 }, () => newId("ctx"));
    expect(new Set(ids).size).toBe(1_000);
    expect(ids.every((id) => /^ctx_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id))).toBe(true);
    expect(idPrefix(newId("ctx"))).toBe("ctx");
  });

  test("sorts after those of earlier milliseconds", () => {
    const first = newId("ctx");
    const madeMs = Date.now();
    while (Date.now() <= madeMs) {
      // The clock moves on within a millisecond.
    }
    expect(newId("ctx") > first).toBe(true);
  });
});

test.each([
  "",
  "ctx",
  "ctx_",
  "01jd3v5q8ye9r9t6w0x2z4b6d8",
  "_01jd3v5q8ye9r9t6w0x2z4b6d8",
  "CTX_01jd3v5q8ye9r9t6w0x2z4b6d8",
  "ctx_01JD3V5Q8YE9R9T6W0X2Z4B6D8",
  "ctx_01jd3v5q8ye9r9t6w0x2z4b6d",
  "ctx_01jd3v5q8ye9r9t6w0x2z4b6d88",
  "ctx_81jd3v5q8ye9r9t6w0x2z4b6d8",
  "ctx_01jd3v5q8ye9r9t6w0x2z4b6di",
  "ctx_01jd3v5q8ye9r9t6w0x2z4b6du",
  "ctx_01jd3v5q8ye9r9t6w0x2z4b6d8\n",
  "ctx_01jd3v5q8ye9r9t6w0x2z4b6d8 ",
  "ctx_01jd3v5q8ye9r9t6w0x2z4b6d\0",
  "ctx.01jd3v5q8ye9r9t6w0x2z4b6d8",
])("%j has not the form of an id, so it has no kind", (text) => {
  expect(idPrefix(text)).toBeUndefined();
});
