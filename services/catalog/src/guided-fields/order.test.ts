import { GuidedFieldsServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/guided_fields_service.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createField, fieldIds } from "../testing/guided-fields.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { createUseCase, eventsOf, faultOf, refusal } from "../testing/verbs.js";

let platform: Platform;
let editor: Person;
let use_case_id: string;
let ids: string[];

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
});
beforeEach(async () => {
  use_case_id = (await createUseCase(editor)).id;
  ids = [];
  for (const name of ["a", "b", "c"]) ids.push((await createField(editor, use_case_id, { name })).id);
});
afterAll(() => platform.close());

const reorder = (guided_search_field_ids: string[]) =>
  editor.ask(rpcs.reorderUseCaseFields, { use_case_id, guided_search_field_ids });

describe("putting fields in order", () => {
  test("takes all of them, tells of each that moved, and creates new ones last", async () => {
    const [a = "", b = "", c = ""] = ids;
    expect(await reorder([c, b, a])).toEqual({ message: "Guided search fields reordered" });
    expect(await fieldIds(editor, use_case_id)).toEqual([c, b, a]);
    expect((await eventsOf(platform, b)).map(({ type }) => type)).toEqual(["catalog.guided_field.created"]);
    expect((await eventsOf(platform, c)).at(-1)).toMatchObject({
      type: "catalog.guided_field.moved",
      sequence: 2,
      data: { id: c, owner_kind: "use_case", owner_id: use_case_id, position: 0 },
    });
    const { id } = await createField(editor, use_case_id, { name: "d" });
    expect(await fieldIds(editor, use_case_id)).toEqual([c, b, a, id]);
  });

  test("as they are changes nothing", async () => {
    await reorder(ids);
    expect(await eventsOf(platform, ids[0] ?? "")).toHaveLength(1);
  });

  test("refuses ids that it has not, ids named twice, and to leave one out", async () => {
    const [a = "", b = "", c = ""] = ids;
    const foreign = (await createField(editor, (await createUseCase(editor)).id)).id;
    expect(await refusal(reorder([a, foreign, a, b, c]))).toEqual({
      kind: "invalid",
      at: ["guided_search_field_ids.1: value_error", "guided_search_field_ids.2: value_error"],
    });
    for (const some of [[a, c], []]) {
      expect(await refusal(reorder(some))).toEqual({ kind: "invalid", at: ["guided_search_field_ids: value_error"] });
    }
    expect(await fieldIds(editor, use_case_id)).toEqual(ids);
  });
});

describe("listing fields", () => {
  test("pages through them in their order", async () => {
    const [a, b, c] = ids;
    await reorder(ids.toReversed());
    const first = await editor.ask(rpcs.listUseCaseFields, { use_case_id, page_size: 2 });
    expect(first.items.map(({ id }) => id)).toEqual([c, b]);
    const page_token = first.next_page_token;
    const last = await editor.ask(rpcs.listUseCaseFields, { use_case_id, page_size: 2, page_token });
    expect(last.items.map(({ id }) => id)).toEqual([a]);
    expect(last.next_page_token).toBeUndefined();
    const other = { use_case_id: (await createUseCase(editor)).id, page_token };
    expect((await refusal(editor.ask(rpcs.listUseCaseFields, other))).at).toEqual(["page_token: page_token_invalid"]);
  });

  test("puts as many long ones on a page as an answer can hold, and loses none", async () => {
    const texts = { texts: Object.fromEntries(LANGUAGES.map((language) => [language, "😀".repeat(200)])) };
    const type = "GUIDED_SEARCH_FIELD_TYPE_SELECT" as const;
    for (const name of ["d", "e", "f"]) {
      ids.push((await createField(editor, use_case_id, { name, type, options: Array(100).fill(texts) })).id);
    }
    const pages: string[][] = [];
    let page_token: string | undefined;
    do {
      const page = await editor.ask(rpcs.listUseCaseFields, { use_case_id, page_token });
      pages.push(page.items.map(({ id }) => id));
      page_token = page.next_page_token;
    } while (page_token !== undefined);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat()).toEqual(ids);
  });

  test("holds 1 to 200 fields on a page", async () => {
    for (const [page_size, kind] of [
      [0, "invalid"],
      [201, "invalid"],
    ] as const) {
      expect((await faultOf(editor.ask(rpcs.listUseCaseFields, { use_case_id, page_size }))).kind).toBe(kind);
    }
    expect((await editor.ask(rpcs.listUseCaseFields, { use_case_id, page_size: 1 })).items).toHaveLength(1);
    expect((await editor.ask(rpcs.listUseCaseFields, { use_case_id, page_size: 200 })).items).toHaveLength(3);
  });
});

const LANGUAGES = ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv"];
