import type { GuidedSearchFieldChange } from "@assistant/proto/assistant/catalog/v1/guided_fields.js";
import { GuidedFieldsServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/guided_fields_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { fieldChange, newField } from "../testing/guided-fields.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { createUseCase, refusal } from "../testing/verbs.js";

let platform: Platform;
let editor: Person;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
});
afterAll(() => platform.close());

type Content = Omit<GuidedSearchFieldChange, "update_mask">;

/** What is wrong with fields that are sent, in short; empty: nothing. */
type Send = (about: Partial<Content>) => Promise<string>;

async function wrong(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "",
    async (error) => (await refusal(Promise.reject(error))).at.join().replaceAll("guided_search_field.", ""),
  );
}

const create: Send = async (about) => {
  const use_case_id = (await createUseCase(editor)).id;
  return wrong(editor.ask(rpcs.createUseCaseField, { use_case_id, guided_search_field: newField(about) }));
};

const update: Send = async (about) => {
  const use_case_id = (await createUseCase(editor)).id;
  const request = { use_case_id, guided_search_field: newField({ ...choice, id: `f-${use_case_id}` }) };
  await editor.ask(rpcs.createUseCaseField, request);
  const field_id = `f-${use_case_id}`;
  return wrong(editor.ask(rpcs.updateUseCaseField, { use_case_id, field_id, guided_search_field: fieldChange(about) }));
};

const choice: Pick<Content, "type" | "options"> = {
  type: "GUIDED_SEARCH_FIELD_TYPE_SELECT",
  options: [{ texts: { en: "a" } }],
};

const lengths: [field: string, least: number, most: number, about: (text: string) => Partial<Content>][] = [
  ["name", 1, 200, (name) => ({ name })],
  ["label.pl", 1, 200, (pl) => ({ label: { pl } })],
  ["placeholder.pt", 1, 4_000, (pt) => ({ placeholder: { pt } })],
  ["prompt_enrichment", 0, 10_000, (prompt_enrichment) => ({ prompt_enrichment })],
  ["help_text.nl", 1, 4_000, (nl) => ({ help_text: { nl } })],
  ["options.0.es", 1, 200, (es) => ({ type: choice.type, options: [{ texts: { es } }] })],
];

describe.each([
  ["creating", create],
  ["updating", update],
])("%s a field", (_, send) => {
  test.each(lengths)("counts the code points of %s, from %i to %i", async (field, least, most, about) => {
    expect(await send(about("😀".repeat(most - 1)))).toBe("");
    expect(await send(about("😀".repeat(most)))).toBe("");
    expect(await send(about(`${"😀".repeat(most)}x`))).toBe(`${field}: string_too_long`);
    expect(await send(about(""))).toBe(least === 0 ? "" : `${field}: string_too_short`);
    expect(await send(about("a\0"))).toBe(`${field}: value_error`);
  });

  test("takes 100 options, each in some of the languages there are", async () => {
    const options = (count: number) => Array.from({ length: count }, () => ({ texts: { en: "a" } }));
    const { type } = choice;
    expect(await send({ type, options: options(99) })).toBe("");
    expect(await send({ type, options: options(100) })).toBe("");
    expect(await send({ type, options: options(101) })).toBe("options: too_long");
    expect(await send({ type, options: [{ texts: {} }] })).toBe("options.0: too_short");
    expect(await send({ type, options: [{ texts: { xx: "a" } }] })).toBe("options.0.xx.[key]: enum");
  });

  test("takes only languages and types that there are", async () => {
    expect(await send({ label: { xx: "a" }, help_text: { EN: "a" } })).toBe(
      "label.xx.[key]: enum,help_text.EN.[key]: enum",
    );
    expect(await send({ type: "GUIDED_SEARCH_FIELD_TYPE_UNSPECIFIED" })).toBe("type: enum");
  });
});

test("an id of one's own has 1 to 64 letters, digits, lines and dashes", async () => {
  const send = async (id: string) => {
    const use_case_id = (await createUseCase(editor)).id;
    return wrong(editor.ask(rpcs.createUseCaseField, { use_case_id, guided_search_field: newField({ id }) }));
  };
  expect(await send("a")).toBe("");
  expect(await send("b".repeat(63))).toBe("");
  expect(await send("c".repeat(64))).toBe("");
  expect(await send("d".repeat(65))).toBe("id: string_too_long");
  expect(await send("")).toBe("id: string_too_short");
  for (const id of ["a b", "é", "a/b", "a\n"]) expect(await send(id)).toBe("id: string_pattern_mismatch");
});

test("an order names 200 fields at most", async () => {
  const use_case_id = (await createUseCase(editor)).id;
  const send = (count: number) => {
    const guided_search_field_ids = Array<string>(count).fill("x");
    return wrong(editor.ask(rpcs.reorderUseCaseFields, { use_case_id, guided_search_field_ids }));
  };
  expect(await send(201)).toBe("guided_search_field_ids: too_long");
  expect(await send(1)).toBe("guided_search_field_ids.0: value_error");
});
