import { describe, expect, test } from "@jest/globals";
import { right, wrong } from "./testing/every-shape.js";

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
