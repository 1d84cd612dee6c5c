import type {
  GuidedSearchFieldType,
  NewGuidedSearchField,
} from "@assistant/proto/assistant/catalog/v1/guided_fields.js";
import { GuidedFieldsServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/guided_fields_service.js";
import type { Locale } from "@assistant/proto/assistant/common/v1/text.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createField } from "../testing/guided-fields.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { createUseCase, faultOf, refusal } from "../testing/verbs.js";

let platform: Platform;
let editor: Person;
let use_case_id: string;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
});
beforeEach(async () => {
  use_case_id = (await createUseCase(editor)).id;
});
afterAll(() => platform.close());

const options = [
  { texts: { de: "Norden", en: "North" } },
  { texts: { fr: "Sud", de: "Süden" } },
  { texts: { it: "North" } },
];

function add(name: string, word: string, about: Partial<NewGuidedSearchField> = {}) {
  // Every word in this file is one of the enum's.
  const type = `GUIDED_SEARCH_FIELD_TYPE_${word}` as GuidedSearchFieldType;
  const choice = word.endsWith("SELECT") ? { options } : {};
  return createField(editor, use_case_id, { name, type, prompt_enrichment: `${name}={{value}}`, ...choice, ...about });
}

const send = (values: object, locale?: Locale) =>
  editor.ask(rpcs.renderUseCaseFields, { use_case_id, values: JSON.stringify(values), locale });
const render = async (values: object, locale?: Locale) => (await send(values, locale)).prompt;
const wrong = async (values: object) => (await refusal(send(values))).at;

describe("rendering", () => {
  test("joins what the fields with values add, in their order, whatever the order of the values", async () => {
    await add("region", "SELECT");
    await add("since", "DATE");
    await add("amount", "NUMBER");
    await add("urgent", "BOOLEAN");
    await add("note", "TEXTAREA", { prompt_enrichment: "{{label}}: {{value}} ({{value}})", label: { en: "Note" } });
    const values = { note: "a\nb", urgent: false, amount: -0.5, since: "2024-02-29", region: "North" };
    expect(await render(values)).toBe("region=North\nsince=2024-02-29\namount=-0.5\nurgent=false\nNote: a\nb (a\nb)");
    expect(await render({ note: null, amount: 7 })).toBe("amount=7");
    expect(await render({})).toBe("");
  });

  test("of a field that enriches nothing adds nothing", async () => {
    await add("silent", "TEXT", { prompt_enrichment: undefined });
    await add("empty", "TEXT", { prompt_enrichment: "" });
    await add("fixed", "TEXT", { prompt_enrichment: "Be brief." });
    expect(await render({ silent: "a", empty: "b", fixed: "c" })).toBe("Be brief.");
  });

  test("puts a value in its place and evaluates nothing that it says", async () => {
    const label = { en: "{{value}}" };
    await add("a", "TEXT", { label, prompt_enrichment: "{{label}}|{{value}}|{{ value }}|{{other}}|{{{value}}}" });
    await add("b", "TEXT", { prompt_enrichment: "<{{value}}>" });
    expect(await render({ a: "{{label}} $& $1 $`", b: "{{value}}{{" })).toBe(
      "{{value}}|{{label}} $& $1 $`|{{ value }}|{{other}}|{{{label}} $& $1 $`}\n<{{value}}{{>",
    );
  });

  test("takes options in any language and answers them and labels in the one asked for, English or what there is", async () => {
    const label = { de: "Gebiet", fr: "Région" };
    await add("one", "SELECT", { label, prompt_enrichment: "{{label}}: {{value}}" });
    await add("some", "MULTI_SELECT");
    expect(await render({ one: "Norden", some: ["Sud", "North"] })).toBe("Gebiet: North\nsome=Süden, North");
    expect(await render({ one: "North" }, "LOCALE_DE")).toBe("Gebiet: Norden");
    expect(await render({ one: "Süden", some: [] }, "LOCALE_FR")).toBe("Région: Sud");
    // In Italian another option has the text that the first one has in English.
    expect(await render({ some: ["Norden", "North"] }, "LOCALE_IT")).toBe("some=North, North");
    expect(await render({ one: "Norden" }, "LOCALE_SV")).toBe("Gebiet: North");
  });

  test("tells all that is wrong at once: fields in their order, then what no field is called", async () => {
    await add("must", "TEXT", { required: true });
    await add("number", "NUMBER");
    await add("flag", "BOOLEAN");
    await add("day", "DATE");
    await add("one", "SELECT");
    await add("some", "MULTI_SELECT");
    const values = { nope: 1, some: ["Sud", 5, "x", "Süden"], one: "x", day: "2023-02-29", flag: "true", number: "5" };
    expect(await wrong(values)).toEqual([
      "values.must: missing",
      "values.number: float_type",
      "values.flag: bool_type",
      "values.day: value_error",
      "values.one: enum",
      "values.some.1: string_type",
      "values.some.2: enum",
      "values.some.3: value_error",
      "values.nope: extra_forbidden",
    ]);
    expect(await wrong({ must: null })).toEqual(["values.must: string_type"]);
    expect(await wrong({ must: "", one: ["Sud"], some: "Sud" })).toEqual([
      "values.must: string_too_short",
      "values.one: string_type",
      "values.some: list_type",
    ]);
    const fault = await faultOf(send({ must: "a", one: "x" }));
    expect(fault.violations.map(({ message, context }) => ({ message, context }))).toEqual([
      {
        message: "Input should be 'North', 'Süden' or 'North'",
        context: { expected: "'North', 'Süden' or 'North'" },
      },
    ]);
  });

  test("takes names that every object has for what they are", async () => {
    expect(
      await refusal(editor.ask(rpcs.renderUseCaseFields, { use_case_id, values: '{"__proto__":{"a":1}}' })),
    ).toEqual({
      kind: "invalid",
      at: ["values.__proto__: extra_forbidden"],
    });
    await add("toString", "TEXT");
    await add("__proto__", "TEXT", { required: true });
    expect(await wrong({})).toEqual(["values.__proto__: missing"]);
    const values = '{"__proto__":"a"}';
    expect(await editor.ask(rpcs.renderUseCaseFields, { use_case_id, values })).toEqual({ prompt: "__proto__=a" });
  });

  test.each([
    "2024-2-9",
    "2024-02-30",
    "0000-13-01",
    "24-02-01",
    "2024-02-01T00:00:00Z",
    " 2024-02-01",
    "２024-02-01",
    "",
  ])("takes %j for no day", async (day) => {
    await add("day", "DATE");
    expect(await wrong({ day })).toEqual(["values.day: value_error"]);
  });

  test("takes a required choice of none for none", async () => {
    await add("some", "MULTI_SELECT", { required: true });
    expect(await wrong({ some: [] })).toEqual(["values.some: too_short"]);
    expect(await wrong({ some: Array(101).fill("Sud") })).toEqual(["values.some: too_long"]);
  });

  test("counts 10,000 code points of a text, and takes no halves of characters nor null characters", async () => {
    await add("text", "TEXT");
    await add("area", "TEXTAREA");
    for (const length of [9_999, 10_000]) {
      expect(await render({ text: "😀".repeat(length) })).toHaveLength(5 + 2 * length);
    }
    expect(await wrong({ text: "😀".repeat(10_001), area: "a".repeat(10_001) })).toEqual([
      "values.text: string_too_long",
      "values.area: string_too_long",
    ]);
    expect(await wrong({ text: "a\0", area: "a\ud800" })).toEqual([
      "values.text: value_error",
      "values.area: string_unicode",
    ]);
  });

  test("takes only numbers that are finite", async () => {
    await add("number", "NUMBER");
    const values = '{"number":1e400}';
    expect((await refusal(editor.ask(rpcs.renderUseCaseFields, { use_case_id, values }))).at).toEqual([
      "values.number: finite_number",
    ]);
    expect(await render({ number: 1.5e300 })).toBe("number=1.5e+300");
  });

  test("answers no prompt of more than a million characters", async () => {
    const value = "v".repeat(10_000);
    await add("hundred", "TEXT", { prompt_enrichment: "{{value}}".repeat(100) });
    expect(await render({ hundred: value })).toHaveLength(1_000_000);
    await add("more", "TEXT");
    expect(await wrong({ hundred: value, more: "x" })).toEqual(["values: value_error"]);
  });

  test("does not list options that are too long to be repeated", async () => {
    await add("long", "SELECT", {
      options: Array.from({ length: 100 }, (_, at) => ({ texts: { en: `${at}`.repeat(100) } })),
    });
    expect(await wrong({ long: "x" })).toEqual(["values.long: value_error"]);
  });

  test("takes nothing but an object of values", async () => {
    for (const values of ["[]", "5", "null", '"{}"', "{"]) {
      const sent = editor.ask(rpcs.renderUseCaseFields, { use_case_id, values });
      expect(await refusal(sent)).toEqual({ kind: "invalid", at: ["values: dict_type"] });
    }
  });
});
