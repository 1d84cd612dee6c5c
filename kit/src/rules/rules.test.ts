import { describe, expect, test } from "@jest/globals";
import { compileProtos } from "../testing/protos.js";
import { type Checker, createChecker } from "./rules.js";

const registry = compileProtos({
  "probe/v1/probe.proto": `
    syntax = "proto3";
    package probe.v1;
    import "assistant/common/v1/rules.proto";
    import "assistant/common/v1/text.proto";
    import "google/protobuf/timestamp.proto";
    enum Kind {
      KIND_UNSPECIFIED = 0;
      KIND_TEXT = 1;
      KIND_SELECT = 2;
      KIND_DRIVE = 3 [(assistant.common.v1.word) = "DriveStructure"];
    }
    message Texts {
      optional string name = 1 [(assistant.common.v1.rules) = {required: true min_length: 2 max_length: 4}];
      optional string code = 2 [(assistant.common.v1.rules) = {max_length: 3 pattern: "^[a-z]+$"}];
      optional string free = 3;
      optional string at = 4 [(assistant.common.v1.rules) = {format: FORMAT_DATE_TIME}];
      optional string link = 5 [(assistant.common.v1.rules) = {format: FORMAT_URL}];
      optional string any = 6 [(assistant.common.v1.rules) = {format: FORMAT_JSON_OBJECT}];
    }
    message Numbers {
      optional int32 size = 1 [(assistant.common.v1.rules) = {ge: 1 le: 9}];
      optional double share = 2 [(assistant.common.v1.rules) = {ge: 0 le: 0.5}];
      optional bool flag = 3 [(assistant.common.v1.rules) = {required: true}];
      google.protobuf.Timestamp at = 4;
    }
    message Kinds {
      optional Kind wanted = 1 [(assistant.common.v1.rules) = {required: true}];
      Kind bare = 2;
      Kind bare_wanted = 3 [(assistant.common.v1.rules) = {required: true}];
    }
    message Collections {
      map<string, string> label = 1 [(assistant.common.v1.rules) = {
        required: true min_length: 1 max_length: 3 keys: "assistant.common.v1.Locale" items: {min_length: 1 max_length: 5}}];
      repeated string ids = 2 [(assistant.common.v1.rules) = {max_length: 2 items: {min_length: 1 max_length: 3}}];
      repeated Kind kinds = 3;
      repeated Texts texts = 4;
      map<string, Texts> by_name = 5;
      repeated Labels labels = 6;
    }
    message Labels {
      option (assistant.common.v1.message_rules) = {transparent: true};
      map<string, string> texts = 1 [(assistant.common.v1.rules) = {
        required: true min_length: 1 keys: "assistant.common.v1.Locale" items: {max_length: 5}}];
    }
  `,
});

const texts = checker("Texts");
const numbers = checker("Numbers");
const kinds = checker("Kinds");
const collections = checker("Collections");

describe("strings", () => {
  test("a missing mandatory field is told, an optional one may be left out", () => {
    expect(texts({})).toEqual([{ path: ["name"], type: "missing", message: "Field required", context: {} }]);
  });

  test("lengths count code points, at, below and above both limits", () => {
    expect(texts({ name: "🙂" })).toEqual([
      {
        path: ["name"],
        type: "string_too_short",
        message: "String should have at least 2 characters",
        context: { min_length: 2 },
      },
    ]);
    expect(texts({ name: "🙂🙂" })).toEqual([]);
    expect(texts({ name: "🙂🙂🙂🙂" })).toEqual([]);
    expect(texts({ name: "🙂🙂🙂🙂a" })).toEqual([
      {
        path: ["name"],
        type: "string_too_long",
        message: "String should have at most 4 characters",
        context: { max_length: 4 },
      },
    ]);
  });

  test("a value tells its first failure only: unicode, length, pattern, null character", () => {
    const first = (code: string) => texts({ name: "ab", code }).map(({ type }) => type);
    expect(first("A\0\ud800B")).toEqual(["string_unicode"]);
    expect(first("A\0BC")).toEqual(["string_too_long"]);
    expect(first("A\0")).toEqual(["string_pattern_mismatch"]);
    expect(texts({ name: "a\0" })).toEqual([
      {
        path: ["name"],
        type: "value_error",
        message: "Value error, Null characters are not allowed",
        context: { error: {} },
      },
    ]);
  });

  test("a string without rules holds no null character either", () => {
    expect(texts({ name: "ab", free: "\0" }).map(({ type }) => type)).toEqual(["value_error"]);
    expect(texts({ name: "ab", free: "" })).toEqual([]);
  });

  test.each(["2024-02-29T23:59:60Z", "2025-01-31t00:00:00.123456+14:00", "0001-01-01T00:00:00-00:00"])(
    "%s is a date-time",
    (at) => {
      expect(texts({ name: "ab", at })).toEqual([]);
    },
  );

  test.each([
    "",
    "2025-02-29T00:00:00Z",
    "2025-04-31T00:00:00Z",
    "2025-01-01",
    "2025-01-01T24:00:00Z",
    "2025-01-01T00:00:00",
    "2025-01-01 00:00:00Z",
    "1735689600",
  ])("%j is no date-time", (at) => {
    expect(texts({ name: "ab", at })).toEqual([
      {
        path: ["at"],
        type: "datetime_parsing",
        message: "Input should be a valid datetime, not an RFC 3339 date-time",
        context: { error: "not an RFC 3339 date-time" },
      },
    ]);
  });

  test("the text of a JSON object is one, and no other text is", () => {
    for (const any of ["{}", ' {"a":[1]} ', '{"__proto__":null}']) expect(texts({ name: "ab", any })).toEqual([]);
    for (const any of ["", "{", "[]", "null", "5", '"{}"', "{}{}"]) {
      expect(texts({ name: "ab", any })).toEqual([
        { path: ["any"], type: "dict_type", message: "Input should be a valid dictionary", context: {} },
      ]);
    }
  });

  test("a URL is absolute and of http or https", () => {
    const type = (link: string) => texts({ name: "ab", link }).map((violation) => violation.type);
    expect(type("https://example.com/a?b#c")).toEqual([]);
    expect(type("HTTP://[::1]:8080")).toEqual([]);
    expect(type("ftp://example.com")).toEqual(["url_scheme"]);
    expect(type("javascript:alert(1)")).toEqual(["url_scheme"]);
    expect(type("/path")).toEqual(["url_parsing"]);
    expect(type("example.com")).toEqual(["url_parsing"]);
    expect(type("https://")).toEqual(["url_parsing"]);
    expect(type("https:///path")).toEqual(["url_parsing"]);
    expect(type("https://a b")).toEqual(["url_parsing"]);
  });
});

describe("numbers, booleans, times", () => {
  test("bounds hold at, below and above", () => {
    const told = (size: number) => numbers({ flag: true, size }).map(({ type, context }) => [type, context]);
    expect(told(1)).toEqual([]);
    expect(told(9)).toEqual([]);
    expect(told(0)).toEqual([["greater_than_equal", { ge: 1 }]]);
    expect(told(10)).toEqual([["less_than_equal", { le: 9 }]]);
  });

  test("a number is finite", () => {
    expect(numbers({ flag: true, share: Number.NaN }).map(({ type }) => type)).toEqual(["finite_number"]);
    expect(numbers({ flag: true, share: Number.NEGATIVE_INFINITY }).map(({ type }) => type)).toEqual(["finite_number"]);
  });

  test("false is there, left out is missing", () => {
    expect(numbers({ flag: false })).toEqual([]);
    expect(numbers({}).map(({ path, type }) => [path, type])).toEqual([[["flag"], "missing"]]);
  });

  test("a time beyond all dates is refused", () => {
    expect(numbers({ flag: true, at: new Date(Number.NaN) }).map(({ type }) => type)).toEqual(["datetime_parsing"]);
    expect(numbers({ flag: true, at: new Date() })).toEqual([]);
  });
});

describe("enums", () => {
  test("unspecified and unknown values are refused with the words, also where the field is optional", () => {
    const expected = "'text', 'select' or 'DriveStructure'";
    const failure = { type: "enum", message: `Input should be ${expected}`, context: { expected } };
    expect(kinds({ wanted: "KIND_UNSPECIFIED", bare_wanted: "KIND_TEXT" })).toEqual([{ path: ["wanted"], ...failure }]);
    expect(kinds({ wanted: "UNRECOGNIZED", bare_wanted: "KIND_TEXT" })).toEqual([{ path: ["wanted"], ...failure }]);
    expect(kinds({ wanted: "KIND_TEXT", bare: "UNRECOGNIZED", bare_wanted: "KIND_TEXT" })).toEqual([
      { path: ["bare"], ...failure },
    ]);
  });

  test("without presence the zero value means left out", () => {
    expect(kinds({ wanted: "KIND_TEXT", bare: "KIND_UNSPECIFIED", bare_wanted: "KIND_UNSPECIFIED" })).toEqual([
      { path: ["bare_wanted"], type: "missing", message: "Field required", context: {} },
    ]);
  });
});

describe("lists and maps", () => {
  const label = { de: "Ja" };

  test("a mandatory map is not empty, and a map over its most tells nothing else", () => {
    expect(collections({ label: {} })).toEqual([
      {
        path: ["label"],
        type: "too_short",
        message: "Dictionary should have at least 1 item after validation, not 0",
        context: { field_type: "Dictionary", min_length: 1, actual_length: 0 },
      },
    ]);
    expect(collections({ label: { de: "", en: "", fr: "", xx: "" } })).toEqual([
      {
        path: ["label"],
        type: "too_long",
        message: "Dictionary should have at most 3 items after validation, not 4",
        context: { field_type: "Dictionary", max_length: 3, actual_length: 4 },
      },
    ]);
  });

  test("of an entry the key is told before the value", () => {
    const told = collections({ label: { xx: "", en: "toolong" } }).map(({ path, type }) => [path, type]);
    expect(told).toEqual([
      [["label", "xx", "[key]"], "enum"],
      [["label", "xx"], "string_too_short"],
      [["label", "en"], "string_too_long"],
    ]);
  });

  test("a long key is cut where it is repeated", () => {
    const [violation] = collections({ label: { ["ü".repeat(2_000)]: "a" } });
    expect(violation?.path[1]).toBe(`${"ü".repeat(512)}…`);
  });

  test("elements are checked one by one, but not those of a list that is too long", () => {
    const told = (ids: string[]) => collections({ label, ids }).map(({ path, type }) => [path.join("."), type]);
    expect(told(["", "abcd"])).toEqual([
      ["ids.0", "string_too_short"],
      ["ids.1", "string_too_long"],
    ]);
    expect(told(["", "", ""])).toEqual([["ids", "too_long"]]);
    expect(told([])).toEqual([]);
  });

  test("messages and enums in lists and maps are checked by their own rules", () => {
    const told = collections({
      label,
      kinds: ["KIND_TEXT", "UNRECOGNIZED"],
      texts: [{ name: "ab" }, {}],
      by_name: { x: { name: "a" } },
    }).map(({ path, type }) => [path.join("."), type]);
    expect(told).toEqual([
      ["kinds.1", "enum"],
      ["texts.1.name", "missing"],
      ["by_name.x.name", "string_too_short"],
    ]);
  });

  test("of a message that in JSON is its only map, the map's own name stands in no path", () => {
    const labels = [{ texts: { de: "Hallo" } }, { texts: { de: "zu lang" } }, { texts: { xx: "a" } }, { texts: {} }];
    const paths = collections({ label: { de: "a" }, labels }).map(({ path, type }) => [...path, type]);
    expect(paths).toEqual([
      ["labels", "1", "de", "string_too_long"],
      ["labels", "2", "xx", "[key]", "enum"],
      ["labels", "3", "too_short"],
    ]);
  });

  test("no more than 32 violations are told", () => {
    expect(collections({ label, texts: Array.from({ length: 50 }, () => ({})) })).toHaveLength(32);
  });
});

test("a rule that names what is not there is found when the service starts", () => {
  expect(() => createChecker("probe.v1.Nothing", registry)).toThrow("describes the message probe.v1.Nothing");
});

function checker(name: string): Checker {
  return createChecker(`probe.v1.${name}`, registry);
}
