import { describe, expect, test } from "@jest/globals";
import { readJson } from "./json.js";

const failure = (text: string | Buffer) => {
  const read = readJson(Buffer.from(text));
  return "type" in read ? [Number(read.path[1]), read.context["error"]] : read.value;
};

describe("a text that is no JSON is told where, in code points from 0, and why", () => {
  test.each([
    ["undefined", 0, "Expecting value"],
    ["tru", 0, "Expecting value"],
    ["NaN", 0, "Expecting value"],
    ["-Infinity", 0, "Expecting value"],
    [" \u00a0{}", 1, "Expecting value"],
    ["[", 1, "Expecting value"],
    ["[,]", 1, "Expecting value"],
    ["[1,]", 3, "Expecting value"],
    ['\r\n{"a":\r\n}', 9, "Expecting value"],
    ['{"a":.5}', 5, "Expecting value"],
    ['{"😀":😀1}', 5, "Expecting value"],
    ["{", 1, "Expecting property name enclosed in double quotes"],
    ["{'a':1}", 1, "Expecting property name enclosed in double quotes"],
    ['{"a":1,}', 7, "Expecting property name enclosed in double quotes"],
    ['{"a"', 4, "Expecting ':' delimiter"],
    ['{"a" 1}', 5, "Expecting ':' delimiter"],
    ['{"a":1 "b":2}', 7, "Expecting ',' delimiter"],
    ['{"a":1]', 6, "Expecting ',' delimiter"],
    ["[1}", 2, "Expecting ',' delimiter"],
    ['{"a":0x1}', 6, "Expecting ',' delimiter"],
    ['{"a":1.}', 6, "Expecting ',' delimiter"],
    ['{"a":01}', 6, "Expecting ',' delimiter"],
    ["{}\u0000", 2, "Extra data"],
    ['{"a":1}//c', 7, "Extra data"],
    ["1e", 1, "Extra data"],
    ["0 0", 2, "Extra data"],
    ['{"a":"b\\', 5, "Unterminated string starting at"],
    ['\n  {"label":{"en":"a"},"cre', 23, "Unterminated string starting at"],
    ['{"a":"\t"}', 6, "Invalid control character at"],
    ['{"a":"😀😀\n"}', 8, "Invalid control character at"],
    ['{"a":"\\U0001F600"}', 6, "Invalid \\escape"],
    ['{"a":"\\u12"}', 7, "Invalid \\uXXXX escape"],
    ['{"a":"\\ud83d\\u12"}', 13, "Invalid \\uXXXX escape"],
  ])("%j: %d, %s", (text, offset, reason) => {
    expect(failure(text)).toEqual([offset, reason]);
  });

  test("however deep it nests within the 500 levels, and however long it is", () => {
    expect(failure("[".repeat(500))).toEqual([500, "Expecting value"]);
    expect(failure(`["${"\\n".repeat(500_000)}`)).toEqual([1, "Unterminated string starting at"]);
  });
});

describe("a text that is JSON", () => {
  test("may begin with a byte order mark, which is not counted", () => {
    expect(failure("\ufeff{}")).toEqual({});
    expect(failure("\ufeff{")).toEqual([1, "Expecting property name enclosed in double quotes"]);
    expect(failure("\ufeff")).toBeUndefined();
  });

  test("takes the last of two equal names and gives no name a meaning of its own", () => {
    const value = failure('{"a":1,"a":2,"__proto__":{"b":3}}');
    expect(value).toHaveProperty("a", 2);
    expect(Object.getPrototypeOf(value)).toBe(Object.getPrototypeOf(JSON.parse("{}")));
    expect(value).not.toHaveProperty("b");
  });

  test("has brackets in strings, which are no levels", () => {
    expect(failure(JSON.stringify("[".repeat(1_000)))).toBe("[".repeat(1_000));
    expect(failure(JSON.stringify('\\"['.repeat(1_000)))).toBe('\\"['.repeat(1_000));
  });
});
