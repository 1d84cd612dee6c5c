import { newId } from "@assistant/kit/process/id.js";
import type { GuidedSearchFieldType } from "@assistant/proto/assistant/catalog/v1/guided_fields.js";
import { GuidedFieldsServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/guided_fields_service.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createField, fieldChange, fieldIds, newField } from "../testing/guided-fields.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { createUseCase, eventsOf, faultOf, refusal } from "../testing/verbs.js";

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

const full = {
  name: "region",
  label: { de: "Gebiet", en: "Region" },
  type: "GUIDED_SEARCH_FIELD_TYPE_SELECT",
  placeholder: { en: "Choose" },
  required: true,
  prompt_enrichment: "Only {{value}}.",
  help_text: { sv: "Hjälp" },
  options: [{ texts: { de: "Norden", en: "North" } }, { texts: { fr: "Sud" } }],
} as const;
const content = { ...full, options: [...full.options] };

describe("creating a field", () => {
  test("answers it at version 1 as it is read from then on, and emits an event without its texts", async () => {
    const request = { use_case_id, guided_search_field: newField(content) };
    const { answer, reply } = await editor.exchange(rpcs.createUseCaseField, request);
    const id = answer.guided_search_field?.id ?? "";
    expect(reply.version).toBe(1);
    expect(answer.guided_search_field).toEqual({ ...content, id: expect.stringMatching(/^gsf_[0-9a-z]{26}$/) });
    const found = await editor.exchange(rpcs.getUseCaseField, { use_case_id, field_id: id });
    expect(found.answer).toEqual(answer);
    expect(found.reply.version).toBe(1);
    const { orgId: org_id, principalId: actor_id } = editor.caller;
    const data = { id, type: "select", owner_kind: "use_case", owner_id: use_case_id };
    expect(await eventsOf(platform, id)).toEqual([
      { type: "catalog.guided_field.created", org_id, sequence: 1, actor_id, data },
    ]);
  });

  test("needs no more than name, label and type, and is not required to be filled in", async () => {
    expect(await createField(editor, use_case_id)).toEqual({
      ...newField(),
      id: expect.any(String),
      required: false,
      prompt_enrichment: undefined,
    });
  });

  test.each(["TEXT", "TEXTAREA", "NUMBER", "DATE", "BOOLEAN"])("of the type %s takes no options", async (word) => {
    // Every word of the list above is one of the enum's.
    const type = `GUIDED_SEARCH_FIELD_TYPE_${word}` as GuidedSearchFieldType;
    expect((await createField(editor, use_case_id, { type })).type).toBe(type);
    const chosen = createField(editor, use_case_id, { name: "x", type, options: content.options });
    expect(await refusal(chosen)).toEqual({ kind: "invalid", at: ["guided_search_field.options: value_error"] });
  });

  test.each(["SELECT", "MULTI_SELECT"])("of the type %s needs options", async (word) => {
    // Every word of the list above is one of the enum's.
    const type = `GUIDED_SEARCH_FIELD_TYPE_${word}` as GuidedSearchFieldType;
    expect((await createField(editor, use_case_id, { type, options: content.options })).options).toHaveLength(2);
    const empty = createField(editor, use_case_id, { name: "x", type });
    expect(await refusal(empty)).toEqual({ kind: "invalid", at: ["guided_search_field.options: missing"] });
  });

  test("of a name that the use case has is refused, and taken elsewhere", async () => {
    await createField(editor, use_case_id);
    const again = await faultOf(createField(editor, use_case_id));
    expect(again.violations).toEqual([
      {
        path: ["guided_search_field", "name"],
        type: "conflict",
        message: "Conflict with the current state",
        context: { reason: "name_taken" },
      },
    ]);
    expect(again.kind).toBe("conflict");
    await createField(editor, use_case_id, { name: "Region" });
    await createField(editor, (await createUseCase(editor)).id);
  });

  test("needs a use case that is there", async () => {
    await expect(faultOf(createField(editor, newId("uc")))).resolves.toMatchObject({ kind: "missing" });
    await expect(faultOf(createField(editor, "order"))).resolves.toMatchObject({ kind: "missing" });
  });
});

describe("creating a field of an id of one's own", () => {
  test("takes it, and again with the same content answers the stored one without another version", async () => {
    const id = "my-Region_1";
    const first = await createField(editor, use_case_id, { ...content, id });
    expect(first.id).toBe(id);
    const request = { use_case_id, guided_search_field: newField({ ...content, id }) };
    const { answer, reply } = await editor.exchange(rpcs.createUseCaseField, request);
    expect(answer.guided_search_field).toEqual(first);
    expect(reply.version).toBe(1);
    expect(await fieldIds(editor, use_case_id)).toEqual([id]);
  });

  test("is refused where it is another field's, and where a path leads elsewhere", async () => {
    await createField(editor, use_case_id, { id: "taken" });
    for (const about of [
      { label: { en: "Other" } },
      { required: true },
      { name: "other" },
      { prompt_enrichment: "" },
    ]) {
      const other = await refusal(createField(editor, use_case_id, { id: "taken", ...about }));
      expect(other).toEqual({ kind: "conflict", at: ["guided_search_field.id: conflict"] });
    }
    const order = await refusal(createField(editor, use_case_id, { id: "order", name: "o" }));
    expect(order).toEqual({ kind: "conflict", at: ["guided_search_field.id: conflict"] });
  });

  test("is free in every org", async () => {
    const stranger = platform.person({ role: "editor" });
    const theirs = (await createUseCase(stranger)).id;
    await createField(editor, use_case_id, { id: "everybody", name: "ours" });
    expect((await createField(stranger, theirs, { id: "everybody", name: "theirs" })).name).toBe("theirs");
    const request = { use_case_id: theirs, field_id: "everybody" };
    expect((await faultOf(editor.ask(rpcs.getUseCaseField, request))).kind).toBe("missing");
  });
});

describe("changing a field", () => {
  const change = (field_id: string, about: Parameters<typeof fieldChange>[0]) => ({
    use_case_id,
    field_id,
    guided_search_field: fieldChange(about),
  });

  test("replaces what is given and leaves the rest", async () => {
    const before = await createField(editor, use_case_id, content);
    const label = { fr: "Région" };
    const request = change(before.id, { label, required: false, prompt_enrichment: "" });
    const { answer, reply } = await editor.exchange(rpcs.updateUseCaseField, request);
    expect(reply.version).toBe(2);
    expect(answer.guided_search_field).toEqual({ ...before, label, required: false, prompt_enrichment: "" });
    const found = await editor.ask(rpcs.getUseCaseField, { use_case_id, field_id: before.id });
    expect(found).toEqual(answer);
    expect((await eventsOf(platform, before.id)).at(-1)).toMatchObject({
      type: "catalog.guided_field.updated",
      sequence: 2,
      data: { id: before.id, type: "select" },
    });
  });

  test("that changes nothing keeps the version and emits nothing", async () => {
    const { id } = await createField(editor, use_case_id, content);
    for (const about of [{}, content]) {
      expect((await editor.exchange(rpcs.updateUseCaseField, change(id, about))).reply.version).toBe(1);
    }
    expect(await eventsOf(platform, id)).toHaveLength(1);
  });

  test("of its type drops options that it has no use for and asks for those that it needs", async () => {
    const { id } = await createField(editor, use_case_id, content);
    const text = await editor.ask(rpcs.updateUseCaseField, change(id, { type: "GUIDED_SEARCH_FIELD_TYPE_TEXT" }));
    expect(text.guided_search_field?.options).toEqual([]);
    const choice = change(id, { type: "GUIDED_SEARCH_FIELD_TYPE_MULTI_SELECT" });
    const at = (options: string) => ({ kind: "invalid", at: [`guided_search_field.options: ${options}`] });
    expect(await refusal(editor.ask(rpcs.updateUseCaseField, choice))).toEqual(at("missing"));
    const { options } = content;
    expect(await refusal(editor.ask(rpcs.updateUseCaseField, change(id, { options })))).toEqual(at("value_error"));
    const both = change(id, { type: "GUIDED_SEARCH_FIELD_TYPE_MULTI_SELECT", options });
    expect((await editor.ask(rpcs.updateUseCaseField, both)).guided_search_field?.options).toEqual(options);
    expect(await refusal(editor.ask(rpcs.updateUseCaseField, change(id, { options: [] })))).toEqual(at("too_short"));
  });

  test("takes no text away in all languages", async () => {
    const { id } = await createField(editor, use_case_id, content);
    const emptied = editor.ask(rpcs.updateUseCaseField, change(id, { label: {}, placeholder: {}, help_text: {} }));
    expect((await refusal(emptied)).at).toEqual(
      ["label", "placeholder", "help_text"].map((field) => `guided_search_field.${field}: too_short`),
    );
  });

  test("to a name that the use case has is refused, and to its own is none", async () => {
    const { id } = await createField(editor, use_case_id);
    await createField(editor, use_case_id, { name: "other" });
    const renamed = editor.ask(rpcs.updateUseCaseField, change(id, { name: "other" }));
    expect(await refusal(renamed)).toEqual({ kind: "conflict", at: ["guided_search_field.name: conflict"] });
    await editor.ask(rpcs.updateUseCaseField, change(id, { name: "region" }));
    await editor.ask(rpcs.updateUseCaseField, change(id, { name: "third" }));
    await createField(editor, use_case_id);
  });

  test("refuses another version before the name, and a field of another use case", async () => {
    const { id } = await createField(editor, use_case_id);
    await createField(editor, use_case_id, { name: "other" });
    const stale = editor.ask(rpcs.updateUseCaseField, change(id, { name: "other" }), { ifMatch: ["2"] });
    expect((await faultOf(stale)).kind).toBe("stale");
    const elsewhere = { ...change(id, { name: "x" }), use_case_id: (await createUseCase(editor)).id };
    expect((await faultOf(editor.ask(rpcs.updateUseCaseField, elsewhere))).kind).toBe("missing");
  });
});

describe("deleting a field", () => {
  test("removes it with its event, and its name and id are free again", async () => {
    const { id: field_id } = await createField(editor, use_case_id, { id: "once" });
    const request = { use_case_id, field_id };
    expect((await faultOf(editor.ask(rpcs.deleteUseCaseField, request, { ifMatch: ["7"] }))).kind).toBe("stale");
    expect(await editor.ask(rpcs.deleteUseCaseField, request)).toEqual({ message: "Guided search field deleted" });
    for (const gone of [editor.ask(rpcs.getUseCaseField, request), editor.ask(rpcs.deleteUseCaseField, request)]) {
      expect((await faultOf(gone)).kind).toBe("missing");
    }
    expect(await fieldIds(editor, use_case_id)).toEqual([]);
    expect((await eventsOf(platform, field_id)).at(-1)).toMatchObject({
      type: "catalog.guided_field.deleted",
      sequence: 2,
      data: { id: field_id, type: "text", owner_kind: "use_case", owner_id: use_case_id },
    });
    await createField(editor, use_case_id, { id: "once" });
  });
});
