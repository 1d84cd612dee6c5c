import { describe, expect, test } from "@jest/globals";
import { readJson } from "./json.js";
import type { Operation } from "./operation.js";
import { isRefusal } from "./refusal.js";
import { compileShapes, shapesOperation } from "./testing/shapes.js";

const workshop = compileShapes(`
  syntax = "proto3";
  package assistant.shapes.v1;
  import "assistant/common/v1/rules.proto";
  import "google/protobuf/field_mask.proto";
  import "google/protobuf/timestamp.proto";

  // Every kind of value that a request may hold.
  service ShapesService {
    // Takes one of each.
    rpc Take(Shapes) returns (Shown);
    // Takes a list.
    rpc Find(Query) returns (Shown) { option idempotency_level = NO_SIDE_EFFECTS; }
    // Takes fields to replace.
    rpc Replace(Replacement) returns (Shown);
    // Takes itself.
    rpc Nest(Tree) returns (Shown);
  }
  enum Colour { COLOUR_UNSPECIFIED = 0; COLOUR_RED = 1; COLOUR_BLUE = 2 [(common.v1.word) = "SkyBlue"]; }
  enum Tag { TAG_UNSPECIFIED = 0; TAG_A = 1; TAG_B = 2; }
  message Texts {
    option (common.v1.message_rules) = {transparent: true};
    map<string, string> texts = 1 [(common.v1.rules) = {min_length: 1 keys: "assistant.common.v1.Locale" items: {min_length: 1 max_length: 5}}];
  }
  message Variant {
    option (common.v1.message_rules) = {discriminator: "tag"};
    optional string id = 1 [(common.v1.rules) = {required: true min_length: 1 max_length: 3}];
    optional Tag tag = 2 [(common.v1.rules) = {required: true}];
  }
  message Shapes {
    option (common.v1.message_rules) = {exactly_one: [{fields: ["one", "other"] or: ["instead"] text: "Provide one or other, or instead"}]};
    optional string text = 1 [(common.v1.rules) = {min_length: 2 max_length: 4 pattern: "^[a-z😀]+$"}];
    optional int32 whole = 2 [(common.v1.rules) = {ge: 1 le: 9 not_null: true}];
    optional int32 free = 3;
    optional double number = 4 [(common.v1.rules) = {ge: 0 le: 1}];
    optional bool flag = 5 [(common.v1.rules) = {not_null: true}];
    optional Colour colour = 6;
    optional string time = 7 [(common.v1.rules) = {format: FORMAT_DATE_TIME}];
    google.protobuf.Timestamp at = 8;
    optional string url = 9 [(common.v1.rules) = {format: FORMAT_URL}];
    repeated string list = 10 [(common.v1.rules) = {min_length: 2 max_length: 3 items: {min_length: 1}}];
    map<string, string> label = 11 [(common.v1.rules) = {min_length: 1 keys: "assistant.common.v1.Locale" items: {min_length: 1 max_length: 5}}];
    Variant variant = 12;
    repeated Texts options = 13 [(common.v1.rules) = {max_length: 2 only_with: {field: "colour" words: ["red"] text: "Only for red"}}];
    optional string one = 14;
    optional string other = 15;
    optional string instead = 16;
    optional string pin = 17 [(common.v1.rules) = {secret: true max_length: 4}];
  }
  message Query { repeated string ids = 1 [(common.v1.rules) = {required: true max_length: 2}]; optional int32 page_size = 2 [(common.v1.rules) = {ge: 1}]; }
  message Replacement {
    optional string name = 1;
    repeated string ids = 2;
    google.protobuf.FieldMask update_mask = 3 [(common.v1.rules) = {hidden: true}];
  }
  message Tree { optional string name = 1 [(common.v1.rules) = {required: true}]; repeated Tree children = 2; }
  message Shown {
    string text = 1; int32 whole = 2; Colour colour = 3; optional string absent = 4; repeated string list = 5;
    map<string, string> label = 6; google.protobuf.Timestamp at = 7; repeated Texts options = 8; optional Variant variant = 9;
  }
`);
const take = shapesOperation(workshop, "Take");
const find = shapesOperation(workshop, "Find", { method: "get" });

function read(operation: Operation, body: string, query = "", isStrict = false) {
  const sent = { parameters: {}, query, headers: {}, isStrict };
  try {
    const json = operation.shape.body === undefined ? undefined : readJson(Buffer.from(body));
    return { message: operation.read({ ...sent, body: json }) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return {
      detail: error.problem.detail.map(({ type, loc, input, ctx }) => [type, loc.slice(1).join("."), input, ctx]),
    };
  }
}
/** Type and place of each violation. */
const shortly = ({ detail }: ReturnType<typeof read>) => detail?.map(([type, at]) => [type, at]);
/** Type, place, input of each violation; the fields that must be there are there. */
const wrong = (fields: string) =>
  read(take, `{"one":"x",${fields}}`).detail?.map(([type, at, input]) => [type, at, input]);
const right = (fields: string) => read(take, `{"one":"x",${fields}}`).message;

describe("a text", () => {
  test.each([
    ['"text":5', "string_type", 5],
    ['"text":1e400', "string_type", null],
    ['"text":"\\ud800"', "string_unicode", null],
    ['"text":"a"', "string_too_short", "a"],
    ['"text":"😀"', "string_too_short", "😀"],
    ['"text":"abcde"', "string_too_long", "abcde"],
    ['"text":"abC"', "string_pattern_mismatch", "abC"],
  ])("%s is %s", (fields, type, input) => {
    expect(wrong(fields)).toEqual([[type, "text", input]]);
  });

  test("is counted in code points and may be left out as null", () => {
    expect(right('"text":"😀😀😀😀"')).toMatchObject({ text: "😀😀😀😀" });
    expect(right('"text":null')).toMatchObject({ text: undefined });
  });

  test("of a format has that syntax", () => {
    expect(right('"time":"2024-02-29T23:59:59.5+02:00","url":"https://a.example/b?c#d"')).toBeDefined();
    for (const time of ["yesterday", "2023-02-29T00:00:00Z", "2024-01-01", "2024-01-01T24:00:00Z"]) {
      expect(wrong(`"time":"${time}"`)).toEqual([["datetime_parsing", "time", time]]);
    }
    expect(wrong('"time":5')).toEqual([["string_type", "time", 5]]);
    expect(wrong('"url":"nope"')).toEqual([["url_parsing", "url", "nope"]]);
    expect(wrong('"url":"ftp://x"')).toEqual([["url_scheme", "url", "ftp://x"]]);
  });

  test("that is a timestamp becomes that moment", () => {
    expect(right('"at":"2024-02-29T23:59:59.5+02:00"')).toMatchObject({ at: new Date("2024-02-29T21:59:59.500Z") });
    expect(wrong('"at":"now"')).toEqual([["datetime_parsing", "at", "now"]]);
  });
});

describe("a number", () => {
  test.each([
    ["1", 1],
    ["9", 9],
    ["2.0", 2],
    ["5e0", 5],
    ["true", 1],
    ['"5"', 5],
    ['" +5.00\\n"', 5],
  ])("%s is the integer %s", (sent, whole) => {
    expect(right(`"whole":${sent}`)).toMatchObject({ whole });
  });

  test.each([
    ["0", "greater_than_equal", 0],
    ["10", "less_than_equal", 10],
    ["false", "greater_than_equal", false],
    ["1.5", "int_from_float", 1.5],
    ['"1.5"', "int_parsing", "1.5"],
    ['"1_0"', "int_parsing", "1_0"],
    ['"12."', "int_parsing", "12."],
    ['"\\ud800"', "string_unicode", null],
    ["null", "int_type", null],
    ["[1]", "int_type", [1]],
    ["1e19", "int_parsing_size", 1e19],
    ["10000000000000000000", "less_than_equal", 1e19],
    ["-10000000000000000000", "greater_than_equal", -1e19],
    ["1e400", "finite_number", null],
  ])("%s is no integer from 1 to 9: %s", (sent, type, input) => {
    expect(wrong(`"whole":${sent}`)).toEqual([[type, "whole", input]]);
  });

  test("of digits may have any size, as text up to 4,300 of them", () => {
    const shown = `${"1".repeat(1_024)}…`;
    expect(wrong(`"whole":1${"0".repeat(400)}`)).toEqual([["less_than_equal", "whole", null]]);
    expect(wrong(`"whole":"${"1".repeat(4_300)}"`)).toEqual([["less_than_equal", "whole", shown]]);
    expect(wrong(`"whole":"${"1".repeat(4_301)}"`)).toEqual([["int_parsing_size", "whole", shown]]);
  });

  test("without bounds of its own still has those of its kind", () => {
    expect(right('"free":2147483647')).toMatchObject({ free: 2_147_483_647 });
    expect(wrong('"free":2147483648')).toEqual([["less_than_equal", "free", 2_147_483_648]]);
  });

  test.each([
    ["[]", "float_type", []],
    ['"abc"', "float_parsing", "abc"],
    ["1.5", "less_than_equal", 1.5],
    ["1e400", "finite_number", null],
    ['"nan"', "finite_number", "nan"],
  ])("%s is none from 0 to 1: %s", (sent, type, input) => {
    expect(wrong(`"number":${sent}`)).toEqual([[type, "number", input]]);
  });

  test("may be a fraction, true or text where it is no integer", () => {
    expect(right('"number":0.5')).toMatchObject({ number: 0.5 });
    expect(right('"number":" 5e-1 "')).toMatchObject({ number: 0.5 });
    expect(right('"number":true')).toMatchObject({ number: 1 });
  });
});

describe("a flag and a word", () => {
  test("are taken in the usual words, in any case", () => {
    for (const yes of ["true", "1", "1.0", '"on"', '"T"', '"YES"', '"y"', '"1"'])
      expect(right(`"flag":${yes}`)).toMatchObject({ flag: true });
    for (const no of ["false", "0", "-0.0", '"off"', '"F"', '"No"', '"n"', '"0"'])
      expect(right(`"flag":${no}`)).toMatchObject({ flag: false });
  });

  test.each([
    ["2", "bool_parsing", 2],
    ["-1", "bool_parsing", -1],
    ['" true"', "bool_parsing", " true"],
    ['""', "bool_parsing", ""],
    ['"1.0"', "bool_parsing", "1.0"],
    ["0.5", "bool_type", 0.5],
    ["1e19", "bool_type", 1e19],
    ["null", "bool_type", null],
    ["[true]", "bool_type", [true]],
  ])("%s is no flag: %s", (sent, type, input) => {
    expect(wrong(`"flag":${sent}`)).toEqual([[type, "flag", input]]);
  });

  test("words are exact, those with a form of their own too", () => {
    expect(right('"colour":"red"')).toBeUndefined();
    expect(right('"colour":"SkyBlue"')).toMatchObject({ colour: "COLOUR_BLUE" });
    for (const colour of ['"RED"', '"red "', '"blue"', '"unspecified"', "1", '["red"]', '"toString"']) {
      expect(wrong(`"colour":${colour}`)).toEqual([["enum", "colour", JSON.parse(colour)]]);
    }
    expect(wrong('"colour":"\\ud800"')).toEqual([["string_unicode", "colour", null]]);
  });
});

describe("what holds other values", () => {
  test("a list has its kind, its length and its elements; too long is all that is said", () => {
    expect(wrong('"list":"ab"')).toEqual([["list_type", "list", "ab"]]);
    expect(wrong('"list":["a"]')).toEqual([["too_short", "list", ["a"]]]);
    expect(wrong('"list":[1,"",null]')).toEqual([
      ["string_type", "list.0", 1],
      ["string_too_short", "list.1", ""],
      ["string_type", "list.2", null],
    ]);
    expect(wrong('"list":[1,2,3,4]')).toEqual([["too_long", "list", [1, 2, 3, 4]]]);
  });

  test("a map tells keys before values, in the order they were sent", () => {
    expect(right('"label":{"de":"a"}')).toMatchObject({ label: { de: "a" } });
    expect(wrong('"label":[["de","x"]]')).toEqual([["dict_type", "label", [["de", "x"]]]]);
    expect(wrong('"label":{}')).toEqual([["too_short", "label", {}]]);
    expect(wrong('"label":{"xx":1,"de":2,"7":"c","__proto__":"a"}')).toEqual([
      ["enum", "label.xx.[key]", "xx"],
      ["string_type", "label.xx", 1],
      ["string_type", "label.de", 2],
      ["enum", "label.7.[key]", "7"],
      ["enum", "label.__proto__.[key]", "__proto__"],
    ]);
    expect(wrong('"label":{"de":"a","de":5}')).toEqual([["string_type", "label.de", 5]]);
  });

  test("a variant is named in the place of its fields", () => {
    expect(right('"variant":{"id":"x","tag":"b"}')).toMatchObject({ variant: { id: "x", tag: "TAG_B" } });
    expect(wrong('"variant":{"tag":"b"}')).toEqual([["missing", "variant.b.id", { tag: "b" }]]);
    expect(wrong('"variant":{"id":"long","tag":"a"}')).toEqual([["string_too_long", "variant.a.id", "long"]]);
    expect(wrong('"variant":{"id":5}')).toEqual([["union_tag_not_found", "variant", { id: 5 }]]);
    expect(wrong('"variant":{"id":5,"tag":"z"}')).toEqual([["union_tag_invalid", "variant", { id: 5, tag: "z" }]]);
    expect(wrong('"variant":[]')).toEqual([["model_attributes_type", "variant", []]]);
    expect(right('"variant":null')).toMatchObject({ variant: undefined });
  });

  test("a list of maps is one in JSON and one of messages for services", () => {
    expect(right('"colour":"red","options":[{"de":"a"}]')).toMatchObject({ options: [{ texts: { de: "a" } }] });
    expect(wrong('"colour":"red","options":[{"de":""},{"xx":"a"}]')).toEqual([
      ["string_too_short", "options.0.de", ""],
      ["enum", "options.1.xx.[key]", "xx"],
    ]);
  });

  test("a message may hold itself", () => {
    const nest = shapesOperation(workshop, "Nest");
    expect(read(nest, '{"name":"a","children":[{"name":"b"}]}').message).toMatchObject({
      children: [{ name: "b", children: [] }],
    });
    expect(shortly(read(nest, '{"name":"a","children":[{"children":[5]}]}'))).toEqual([
      ["missing", "children.0.name"],
      ["model_attributes_type", "children.0.children.0"],
    ]);
  });
});

describe("rules over several fields", () => {
  test("a field that goes only with some words is judged once both are right", () => {
    const input = { one: "x", colour: "red" };
    expect(wrong('"colour":"red"')).toEqual([["missing", "options", input]]);
    expect(wrong('"colour":"red","options":[]')).toEqual([["too_short", "options", []]]);
    expect(wrong('"options":[{"de":"a"}]')).toEqual([["value_error", "options", [{ de: "a" }]]]);
    expect(right('"options":[]')).toBeDefined();
    expect(wrong('"colour":"nope","options":[{"de":"a"}]')).toEqual([["enum", "colour", "nope"]]);
    expect(wrong('"colour":"red","options":"x","text":5')).toEqual([
      ["string_type", "text", 5],
      ["list_type", "options", "x"],
    ]);
    expect(wrong('"colour":"red","text":5')).toEqual([
      ["string_type", "text", 5],
      ["missing", "options", { ...input, text: 5 }],
    ]);
  });

  test("a choice is judged once everything is right", () => {
    expect(read(take, "{}").detail).toEqual([["value_error", "", {}, { error: {} }]]);
    expect(shortly(read(take, '{"one":"a","other":"b"}'))).toEqual([["value_error", ""]]);
    expect(shortly(read(take, '{"one":"a","other":"b","text":5}'))).toEqual([["string_type", "text"]]);
    expect(read(take, '{"instead":"a"}').message).toBeDefined();
    expect(read(take, '{"instead":"a","other":"b"}').message).toBeDefined();
  });
});

describe("a request as a whole", () => {
  test("is an object, and all that is wrong is told in the order of its fields", () => {
    for (const body of ["[]", "5", '"{}"', "false"])
      expect(shortly(read(take, body))).toEqual([["model_attributes_type", ""]]);
    expect(wrong('"flag":5,"list":["",1],"text":1,"whole":"x"')?.map(([, at]) => at)).toEqual([
      "text",
      "whole",
      "flag",
      "list.0",
      "list.1",
    ]);
  });

  test("tells 32 violations at most, however many there are", () => {
    const many = Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(",");
    expect(wrong(`"label":{${many}}`)).toHaveLength(32);
    expect(read(take, `{"one":"x",${many}}`, "", true).detail).toHaveLength(32);
  });

  test("shows no secrets, whether always secret by name or by their rule, at any depth", () => {
    expect(read(take, '{"pin":"12345","one":"x"}').detail).toEqual([
      ["string_too_long", "pin", "[redacted]", { max_length: 4 }],
    ]);
    expect(read(take, '{"token":"t","a":[{"password":"p","pin":1}]}').detail?.[0]?.[2]).toEqual({
      token: "[redacted]",
      a: [{ password: "[redacted]", pin: "[redacted]" }],
    });
  });

  test("shows what is over 1 KiB cut: a text to whole characters, an object or a list to none", () => {
    expect(wrong(`"text":"${"€".repeat(400)}"`)).toEqual([["string_too_long", "text", `${"€".repeat(341)}…`]]);
    expect(wrong(`"variant":{"id":"${"a".repeat(2_000)}"}`)).toEqual([["union_tag_not_found", "variant", {}]]);
    expect(wrong(`"text":["${"a".repeat(2_000)}"]`)).toEqual([["string_type", "text", []]]);
  });

  test("of a query takes the last of a parameter, all of a list, and shows no whole query", () => {
    expect(read(find, "", "ids=a&ids=b&page_size=x&page_size=3").message).toMatchObject({
      ids: ["a", "b"],
      page_size: 3,
    });
    expect(read(find, "", "page_size=0").detail).toEqual([
      ["missing", "ids", null, {}],
      ["greater_than_equal", "page_size", "0", { ge: 1 }],
    ]);
    expect(read(find, "", "ids=a&__proto__=1&toString=2", true).detail).toEqual([
      ["extra_forbidden", "__proto__", "1", {}],
      ["extra_forbidden", "toString", "2", {}],
    ]);
  });

  test("that replaces fields says which were sent", () => {
    const replace = shapesOperation(workshop, "Replace");
    expect(read(replace, '{"ids":[],"name":null}').message).toEqual({ name: undefined, ids: [], update_mask: ["ids"] });
    expect(shortly(read(replace, '{"update_mask":"x"}', "", true))).toEqual([["extra_forbidden", "update_mask"]]);
  });
});

test("an answer shows every field: absent ones as null, enums as words, times in milliseconds", () => {
  const shown = {
    text: "",
    whole: 0,
    colour: "COLOUR_BLUE",
    list: [],
    label: {},
    at: new Date(0),
    options: [{ texts: { de: "a" } }],
  };
  expect(take.present(shown)).toEqual({
    text: "",
    whole: 0,
    colour: "SkyBlue",
    absent: null,
    list: [],
    label: {},
    at: "1970-01-01T00:00:00.000Z",
    options: [{ de: "a" }],
    variant: null,
  });
  expect(take.present({ ...shown, colour: "UNRECOGNIZED" })).toMatchObject({ colour: null });
});
