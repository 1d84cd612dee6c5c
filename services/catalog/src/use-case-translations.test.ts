import { newId } from "@assistant/kit/process/id.js";
import { UseCaseContentServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/use_case_content_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Texts } from "./store/use-cases.js";
import { insertAsset } from "./testing/assets.js";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createUseCase, faultOf } from "./testing/verbs.js";

let platform: Platform;
let editor: Person;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
});
afterAll(() => platform.close());

const LANGUAGES = ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv"];

describe("missing translations", () => {
  test("are told for each of the nine languages, and what no language says is missing in none", async () => {
    const { id } = await createUseCase(editor, { label: { de: "D", en: "E" } });
    const gaps = await gapsOf(id);
    expect(Object.keys(gaps)).toEqual(LANGUAGES);
    const label = `use_case ${id} label`;
    expect(gaps).toEqual({ ...allOf([label]), de: [], en: [] });
  });

  test("are none where everything is said", async () => {
    const { id } = await createUseCase(editor, { label: in9("L"), description: in9("D") });
    expect(await gapsOf(id)).toEqual(allOf([]));
  });

  test("are those of the use case, of its fields and of its assets, in this order, each in its own", async () => {
    const { id } = await createUseCase(editor, { label: in9("L"), description: { en: "D" } });
    const options = [in9("A"), { de: "B", en: "B" }];
    await insertField(id, "second", 1, { label: in9("F"), help: { en: "H" }, options });
    await insertField(id, "first", 0, { label: { en: "F" }, help: {}, options: [] });
    const late = await insertAsset(platform, editor, { label: { en: "Late" } });
    const early = await insertAsset(platform, editor, { label: in9("Early"), description: { en: "D" } });
    await attach(id, late, 2);
    await attach(id, early, 1);
    const gaps = await gapsOf(id);
    const wanted = (options: readonly string[]) => [
      `use_case ${id} description`,
      "guided_search_field first label",
      "guided_search_field second help_text",
      ...options,
      `knowledge_asset ${early} description`,
      `knowledge_asset ${late} label`,
    ];
    const inFrench = wanted(["guided_search_field second options"]);
    expect(gaps).toEqual({ ...allOf(inFrench), de: wanted([]), en: [] });
  });

  test("tell nothing of assets that the caller may not see, and of deleted ones", async () => {
    const { id } = await createUseCase(editor, { label: in9("L") });
    const personal = await insertAsset(platform, editor, { category: "personal", label: { en: "Mine" } });
    const deleted = await insertAsset(platform, editor, { label: { en: "Gone" } });
    for (const asset of [personal, deleted]) await attach(id, asset);
    await platform.db.query("delete_asset", "update knowledge_assets set deleted_at = now() where id = $1", [deleted]);
    expect((await gapsOf(id))["de"]).toEqual([`knowledge_asset ${personal} label`]);
    expect(await gapsOf(id, platform.person({ orgId: editor.caller.orgId }))).toEqual(allOf([]));
  });

  test("are for members of the org, of a use case that is there", async () => {
    const { id: use_case_id } = await createUseCase(editor);
    const { orgId } = editor.caller;
    const kindOf = async (person: Person, id = use_case_id) =>
      (await faultOf(person.ask(rpcs.listMissingTranslations, { use_case_id: id }))).kind;
    expect(await kindOf(platform.person({ role: "admin" }))).toBe("missing");
    expect(await kindOf(editor, newId("uc"))).toBe("missing");
    expect(await kindOf(platform.person({ orgId, useCaseId: use_case_id }))).toBe("denied");
    expect(await kindOf(platform.stranger())).toBe("unauthenticated");
  });
});

function in9(text: string): Texts {
  return Object.fromEntries(LANGUAGES.map((language) => [language, `${text} ${language}`]));
}

function allOf(missing: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(LANGUAGES.map((language) => [language, missing]));
}

/** What is missing by language, each text in short. */
async function gapsOf(use_case_id: string, person = editor): Promise<Record<string, string[]>> {
  const { items } = await person.ask(rpcs.listMissingTranslations, { use_case_id });
  const short = (word: string, prefix: string) => word.slice(prefix.length).toLowerCase();
  return Object.fromEntries(
    items.map(({ locale, missing }) => [
      short(locale, "LOCALE_"),
      missing.map(({ owner, id, text }) => `${short(owner, "TEXT_OWNER_")} ${id} ${text}`),
    ]),
  );
}

function attach(use_case_id: string, knowledge_asset_id: string, position?: number) {
  return editor.ask(rpcs.attachKnowledgeAsset, { use_case_id, knowledge_asset_id, position });
}

interface FieldTexts {
  label: Texts;
  help: Texts;
  options: readonly Texts[];
}

async function insertField(useCaseId: string, id: string, position: number, texts: FieldTexts): Promise<void> {
  const [label, help, options] = [texts.label, texts.help, texts.options].map((text) => JSON.stringify(text));
  const field = `insert into guided_fields
      (org_id, id, name, label, type, placeholder, required, help_text, options, version)
    values ($1, $2, $2, $3, 'text', '{}', false, $4, $5, 1)`;
  await platform.db.query("insert_field", field, [editor.caller.orgId, id, label, help, options]);
  const attachment = `insert into guided_field_attachments (org_id, owner_kind, owner_id, field_id, name, position)
    values ($1, 'use_case', $2, $3, $3, $4)`;
  await platform.db.query("attach_field", attachment, [editor.caller.orgId, useCaseId, id, position]);
}
