import { describe, expect, test } from "@jest/globals";
import { readJson } from "./json.js";
import { read, right, take, workshop, wrong } from "./testing/every-shape.js";
import { shapesOperation } from "./testing/shapes.js";

const find = shapesOperation(workshop, "Find", { method: "get" });
/** Type and place of each violation. */
const shortly = ({ detail }: ReturnType<typeof read>) => detail?.map(([type, at]) => [type, at]);

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

  test("an object of any JSON is one for clients, and for services its text, whatever its names are", () => {
    const any = '{"__proto__":{"a":[1,null,"😀"]},"toString":false}';
    expect(right(`"any":${any}`)).toMatchObject({ any });
    expect(right('"any":{}')).toMatchObject({ any: "{}" });
    expect(right('"any":null')).toMatchObject({ any: undefined });
    for (const value of [[], 5, "{}", true]) {
      expect(wrong(`"any":${JSON.stringify(value)}`)).toEqual([["dict_type", "any", value]]);
    }
  });

  test("an object of any JSON holds only what its text can say, however deep", () => {
    expect(wrong('"any":{"b":[{"c":1e400}],"a":"\\ud800","0":-1e400}')).toEqual([
      ["finite_number", "any.b.0.c", null],
      ["string_unicode", "any.a", null],
      ["finite_number", "any.0", null],
    ]);
    const numbers = (count: number) => `"any":{"a":[${Array(count).fill("1e20").join()}]}`;
    expect(right(numbers(95_000))).toBeDefined();
    expect(wrong(numbers(96_000))?.map(([type, at]) => [type, at])).toEqual([["value_error", "any"]]);
    const deep = `${'{"a":'.repeat(490)}1e400${"}".repeat(490)}`;
    expect(wrong(`"any":${deep}`)?.map(([type]) => type)).toEqual(["finite_number"]);
    expect(wrong(`"any":{"a":[${Array(50_000).fill("1e400").join()}]}`)).toHaveLength(32);
  });

  test("what a service finds within an object of any JSON stands where it was sent", () => {
    const sent = {
      parameters: {},
      query: "",
      headers: {},
      isStrict: false,
      body: readJson(Buffer.from('{"any":{"b":{"c":5}}}')),
    };
    const at = (...path: string[]) => {
      const { path: loc, input } = take.locate({ path, type: "extra_forbidden", message: "", context: {} }, sent);
      return [loc.join("."), input];
    };
    expect(at("any", "b", "c")).toEqual(["body.any.b.c", 5]);
    expect(at("any", "b")).toEqual(["body.any.b", { c: 5 }]);
    const missing = take.locate({ path: ["any", "a"], type: "missing", message: "", context: {} }, sent);
    expect([missing.path, missing.input]).toEqual([["body", "any", "a"], { b: { c: 5 } }]);
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
