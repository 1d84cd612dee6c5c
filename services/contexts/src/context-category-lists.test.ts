import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Platform } from "./testing/platform.js";
import { createCategory } from "./testing/verbs.js";

let platform: Platform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

describe("listing categories", () => {
  test("stacks those of one scope, shows the newest first of all, finds names and pages", async () => {
    const editor = platform.person({ role: "editor" });
    const scope_id = editor.caller.orgId;
    for (const [name, stack_order] of [
      ["Ton", 5],
      ["Ärger", 1],
      ["ÄRGERNIS", 5],
    ] as const) {
      await createCategory(editor, { name, stack_order, scope_id });
    }
    await createCategory(editor, { name: "Own", scope_id: editor.caller.principalId });
    const names = async (request: {
      scope_id?: string;
      text?: string;
      page_size?: number;
      page_token?: string | undefined;
    }) => (await editor.ask(rpcs.listContextCategories, request)).items.map(({ name }) => name);
    expect(await names({ scope_id })).toEqual(["Ärger", "Ton", "ÄRGERNIS"]);
    expect(await names({})).toEqual(["Own", "ÄRGERNIS", "Ärger", "Ton"]);
    expect(await names({ text: "ärger" })).toEqual(["ÄRGERNIS", "Ärger"]);
    expect(await names({ text: "ärger", scope_id })).toEqual(["Ärger", "ÄRGERNIS"]);
    const first = await editor.ask(rpcs.listContextCategories, { scope_id, page_size: 2 });
    expect(await names({ scope_id, page_token: first.next_page_token })).toEqual(["ÄRGERNIS"]);
    const newest = await editor.ask(rpcs.listContextCategories, { page_size: 3 });
    expect(await names({ page_token: newest.next_page_token })).toEqual(["Ton"]);
  });

  test("pages through versions", async () => {
    const editor = platform.person({ role: "editor" });
    const { id: context_category_id } = await createCategory(editor, { name: "1" });
    for (const name of ["2", "3"]) await editor.ask(rpcs.updateContextCategory, { context_category_id, name });
    const first = await editor.ask(rpcs.listContextCategoryVersions, { context_category_id, page_size: 2 });
    expect(first.items.map(({ name }) => name)).toEqual(["3", "2"]);
    const page_token = first.next_page_token;
    const second = await editor.ask(rpcs.listContextCategoryVersions, { context_category_id, page_token });
    expect(second.items.map(({ name }) => name)).toEqual(["1"]);
    expect(second.next_page_token).toBeUndefined();
  });
});
