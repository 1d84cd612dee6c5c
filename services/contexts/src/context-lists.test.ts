import { newId } from "@assistant/kit/process/id.js";
import type { ListContextsRequest } from "@assistant/proto/assistant/contexts/v1/contexts.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, createContexts, refusal } from "./testing/verbs.js";

let platform: Platform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

describe("listing contexts", () => {
  test("shows the newest first, across all scopes that the caller reads", async () => {
    const editor = platform.person({ role: "editor" });
    const category = await createCategory(editor);
    const titles = ["1", "2", "3", "4"];
    for (const [index, title] of titles.entries()) {
      const scope_id = index % 2 === 0 ? editor.caller.orgId : editor.caller.principalId;
      await createContext(editor, category, { title, scope_id });
    }
    expect(await titlesOf(editor, {})).toEqual(["4", "3", "2", "1"]);
    expect(await titlesOf(editor, { scope_id: editor.caller.principalId })).toEqual(["4", "2"]);
    expect(await titlesOf(editor, { scope_id: newId("grp") })).toEqual([]);
    expect(await titlesOf(editor, { category_id: newId("cat") })).toEqual([]);
  });

  test.each([
    ["newest first", {}],
    ["stacked", { category: true }],
    ["found by text", { text: "o" }],
    ["stacked and found by text", { category: true, text: "o" }],
  ])(
    "pages through all of them once, %s",
    async (_, { category: stacked = false, text }: { category?: boolean; text?: string }) => {
      const editor = platform.person({ role: "editor" });
      const category = await createCategory(editor);
      const titles = Array.from({ length: 7 }, (_, index) => `No ${index}`);
      for (const [index, title] of titles.entries()) {
        const scope_id = index % 3 === 0 ? editor.caller.principalId : editor.caller.orgId;
        await createContext(editor, category, { title, scope_id });
      }
      const request = { page_size: 2, text, category_id: stacked ? category.id : undefined };
      const pages = await pagesOf(editor, request);
      expect(pages.map((page) => page.length)).toEqual([2, 2, 2, 1]);
      expect(pages.flat()).toEqual(stacked ? titles : titles.toReversed());
    },
  );

  test("ends without a token where a page is just full", async () => {
    const editor = platform.person({ role: "editor" });
    await createContexts(editor, await createCategory(editor), ["A", "B"]);
    expect(await pagesOf(editor, { page_size: 2 })).toEqual([["B", "A"]]);
  });

  test("loses and doubles nothing that stays while others come and go", async () => {
    const editor = platform.person({ role: "editor" });
    const category = await createCategory(editor);
    const [a, , c] = await createContexts(editor, category, ["A", "B", "C", "D"]);
    const first = await editor.ask(rpcs.listContexts, { category_id: category.id, page_size: 2 });
    await editor.ask(rpcs.deleteContext, { context_id: a?.id });
    await editor.ask(rpcs.deleteContext, { context_id: c?.id });
    await createContexts(editor, category, ["E"]);
    const rest = { category_id: category.id, page_size: 9, page_token: first.next_page_token };
    expect(await titlesOf(editor, rest)).toEqual(["D", "E"]);
  });

  test.each([
    ["ÄRGER", "über ärger", true],
    ["straße", "Große STRASSE", false],
    ["ŻÓŁĆ", "zażółć żółć", true],
    ["привет", "ПРИВЕТ МИР", true],
    ["100%", "100% sure", true],
    ["100%", "1000 sure", false],
    ["a_b", "axb", false],
    ["a\\b", "A\\B", true],
    ["brief", "Answer BRIEFLY", true],
  ])("looks for %j in %j whatever the case: %s", async (text, context, isFound) => {
    const editor = platform.person({ role: "editor" });
    await createContext(editor, await createCategory(editor), { title: "T", context });
    await createContext(editor, await createCategory(editor), { title: context, context: "C" });
    expect(await titlesOf(editor, { text })).toHaveLength(isFound ? 2 : 0);
  });

  test("cuts a page at a mebibyte of text, but never to nothing", async () => {
    const editor = platform.person({ role: "editor" });
    const category = await createCategory(editor);
    // Three bytes each: four of these texts are 1,200,000 bytes.
    const context = "€".repeat(100_000);
    for (const title of ["A", "B", "C", "D"]) await createContext(editor, category, { title, context });
    expect(await pagesOf(editor, { category_id: category.id })).toEqual([["A", "B", "C"], ["D"]]);
    await createContext(editor, category, { title: "E", context: "😀".repeat(100_000) });
    expect(await pagesOf(editor, { category_id: category.id, page_size: 1 })).toEqual([
      ["A"],
      ["B"],
      ["C"],
      ["D"],
      ["E"],
    ]);
  });

  test("takes a page token only for the list and the reader that it was made for", async () => {
    const editor = platform.person({ role: "editor" });
    const category = await createCategory(editor);
    await createContexts(editor, category, ["A", "B"]);
    const { next_page_token: page_token } = await editor.ask(rpcs.listContexts, { page_size: 1 });
    const colleague = platform.person({ orgId: editor.caller.orgId });
    const wrong = { kind: "invalid", at: ["page_token: page_token_invalid"] };
    expect(await refusal(colleague.ask(rpcs.listContexts, { page_token }))).toEqual(wrong);
    expect(await refusal(editor.ask(rpcs.listContexts, { page_token, text: "A" }))).toEqual(wrong);
    expect(await refusal(editor.ask(rpcs.listContexts, { page_token, category_id: category.id }))).toEqual(wrong);
    expect(await refusal(editor.ask(rpcs.listContextCategories, { page_token }))).toEqual(wrong);
    expect(await refusal(editor.ask(rpcs.listContexts, { page_token: `${page_token}x` }))).toEqual(wrong);
    expect(await titlesOf(editor, { page_token })).toEqual(["A"]);
  });
});

describe("listing the versions of a context", () => {
  test("shows what it said, newest first, in pages", async () => {
    const editor = platform.person({ role: "editor" });
    const category = await createCategory(editor);
    const { id: context_id } = await createContext(editor, category, { title: "1", context: "One" });
    await editor.ask(rpcs.updateContext, { context_id, title: "2" });
    await editor.ask(rpcs.updateContext, { context_id, stack_order: 5 });
    await editor.ask(rpcs.updateContext, { context_id, context: "Four" });
    const first = await editor.ask(rpcs.listContextVersions, { context_id, page_size: 2 });
    const entry = { category_id: category.id, changed_by: editor.caller.principalId, changed_at: expect.any(Date) };
    expect(first.items).toEqual([
      { ...entry, version: 4, title: "2", context: "Four" },
      { ...entry, version: 2, title: "2", context: "One" },
    ]);
    const page_token = first.next_page_token;
    const second = await editor.ask(rpcs.listContextVersions, { context_id, page_size: 2, page_token });
    expect(second.items).toEqual([{ ...entry, version: 1, title: "1", context: "One" }]);
    expect(second.next_page_token).toBeUndefined();
  });

  test("cuts a page at a mebibyte of text", async () => {
    const editor = platform.person({ role: "editor" });
    const text = (letter: string) => letter.repeat(100_000);
    const { id: context_id } = await createContext(editor, await createCategory(editor), { context: text("€") });
    for (const letter of ["£", "😀", "🙃", "😇"])
      await editor.ask(rpcs.updateContext, { context_id, context: text(letter) });
    const { items, next_page_token } = await editor.ask(rpcs.listContextVersions, { context_id });
    expect(items.map(({ version }) => version)).toEqual([5, 4]);
    const rest = await editor.ask(rpcs.listContextVersions, { context_id, page_token: next_page_token });
    expect(rest.items.map(({ version }) => version)).toEqual([3, 2, 1]);
  });
});

async function titlesOf(person: Person, request: ListContextsRequest): Promise<string[]> {
  return (await person.ask(rpcs.listContexts, request)).items.map(({ title }) => title);
}

async function pagesOf(person: Person, request: ListContextsRequest): Promise<string[][]> {
  const { items, next_page_token } = await person.ask(rpcs.listContexts, request);
  const page = items.map(({ title }) => title);
  return next_page_token === undefined
    ? [page]
    : [page, ...(await pagesOf(person, { ...request, page_token: next_page_token }))];
}
