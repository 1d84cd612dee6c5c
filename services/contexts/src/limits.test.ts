import { newId } from "@assistant/kit/process/id.js";
import type { ContextCategory } from "@assistant/proto/assistant/contexts/v1/context_categories.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, refusal } from "./testing/verbs.js";

let platform: Platform;
let editor: Person;
let category: ContextCategory;
let contextId: string;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
  category = await createCategory(editor);
  contextId = (await createContext(editor, category)).id;
});
afterAll(() => platform.close());

/** What is wrong, in short; empty: nothing with the shape of the request. */
async function shapeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "",
    async (error) =>
      (await refusal(Promise.reject(error))).at.filter((violation) => !violation.endsWith("value_error")).join(),
  );
}

interface Length {
  field: string;
  most: number;
  send: (value: string) => Promise<unknown>;
}

const lengths: Length[] = [
  { field: "title", most: 200, send: (title) => createContext(editor, category, { title }) },
  { field: "context", most: 100_000, send: (context) => createContext(editor, category, { context }) },
  { field: "scope_id", most: 64, send: (scope_id) => createContext(editor, category, { scope_id }) },
  { field: "category_id", most: 64, send: (id) => createContext(editor, { ...category, id }) },
  { field: "title", most: 200, send: (title) => editor.ask(rpcs.updateContext, { context_id: contextId, title }) },
  {
    field: "context",
    most: 100_000,
    send: (context) => editor.ask(rpcs.updateContext, { context_id: contextId, context }),
  },
  {
    field: "category_id",
    most: 64,
    send: (category_id) => editor.ask(rpcs.updateContext, { context_id: contextId, category_id }),
  },
  { field: "text", most: 200, send: (text) => editor.ask(rpcs.listContexts, { text }) },
  { field: "scope_id", most: 64, send: (scope_id) => editor.ask(rpcs.listContexts, { scope_id }) },
  { field: "category_id", most: 64, send: (category_id) => editor.ask(rpcs.listContexts, { category_id }) },
  { field: "use_case_id", most: 64, send: (use_case_id) => editor.ask(rpcs.resolveContexts, { use_case_id }) },
  {
    field: "category_id",
    most: 64,
    send: (id) => editor.ask(rpcs.reorderContexts, { category_id: id, context_ids: [contextId] }),
  },
  {
    field: "context_ids.0",
    most: 64,
    send: (id) => editor.ask(rpcs.reorderContexts, { category_id: category.id, context_ids: [id] }),
  },
  { field: "name", most: 200, send: (name) => createCategory(editor, { name }) },
  { field: "scope_id", most: 64, send: (scope_id) => createCategory(editor, { scope_id }) },
  {
    field: "name",
    most: 200,
    send: (name) => editor.ask(rpcs.updateContextCategory, { context_category_id: category.id, name }),
  },
  { field: "text", most: 200, send: (text) => editor.ask(rpcs.listContextCategories, { text }) },
  { field: "scope_id", most: 64, send: (scope_id) => editor.ask(rpcs.listContextCategories, { scope_id }) },
];

describe.each(lengths)("a text of $field", ({ field, most, send }) => {
  test("is not empty", async () => {
    expect(await shapeOf(send(""))).toBe(`${field}: string_too_short`);
    expect(await shapeOf(send("x"))).toBe("");
  });

  test("counts as many code points as it may have, and no more", async () => {
    const outcomes = {
      below: await shapeOf(send("😀".repeat(most - 1))),
      at: await shapeOf(send("😀".repeat(most))),
      above: await shapeOf(send(`${"😀".repeat(most)}x`)),
    };
    expect(outcomes).toEqual({ below: "", at: "", above: `${field}: string_too_long` });
  });

  test("holds no null character", async () => {
    expect((await refusal(send("a\0b"))).at).toEqual([`${field}: value_error`]);
  });
});

interface Bound {
  field: string;
  least: number;
  most: number;
  send: (value: number) => Promise<unknown>;
}

const STACK = { field: "stack_order", least: 0, most: 1_000_000 };
const PAGE = { field: "page_size", least: 1, most: 200 };

const bounds: Bound[] = [
  { ...STACK, send: (stack_order) => createCategory(editor, { stack_order }) },
  { ...STACK, send: (stack_order) => editor.ask(rpcs.updateContext, { context_id: contextId, stack_order }) },
  {
    ...STACK,
    send: (stack_order) => editor.ask(rpcs.updateContextCategory, { context_category_id: category.id, stack_order }),
  },
  { ...PAGE, send: (page_size) => editor.ask(rpcs.listContexts, { page_size }) },
  { ...PAGE, send: (page_size) => editor.ask(rpcs.listContextCategories, { page_size }) },
  { ...PAGE, send: (page_size) => editor.ask(rpcs.resolveContexts, { page_size }) },
  { ...PAGE, send: (page_size) => editor.ask(rpcs.listContextVersions, { context_id: contextId, page_size }) },
  {
    ...PAGE,
    send: (page_size) => editor.ask(rpcs.listContextCategoryVersions, { context_category_id: category.id, page_size }),
  },
];

describe.each(bounds)("a number in $field", ({ field, least, most, send }) => {
  test(`is from ${least} to ${most}`, async () => {
    expect(await shapeOf(send(least - 1))).toBe(`${field}: greater_than_equal`);
    expect(await shapeOf(send(least))).toBe("");
    expect(await shapeOf(send(most))).toBe("");
    expect(await shapeOf(send(most + 1))).toBe(`${field}: less_than_equal`);
  });
});

describe("an order", () => {
  test.each([
    [
      "context_ids",
      (ids: string[]) => editor.ask(rpcs.reorderContexts, { category_id: category.id, context_ids: ids }),
    ],
    [
      "context_category_ids",
      (ids: string[]) =>
        editor.ask(rpcs.reorderContextCategories, { scope_id: editor.caller.orgId, context_category_ids: ids }),
    ],
  ])("in %s names 1 to 200", async (field, send) => {
    const ids = (count: number) => Array.from({ length: count }, () => newId("ctx"));
    // A list has no presence on the wire: an empty one is one left out.
    expect((await refusal(send([]))).at).toEqual([
      expect.stringMatching(new RegExp(`^${field}: (missing|too_short)$`)),
    ]);
    expect(await shapeOf(send(ids(1)))).toBe("");
    expect(await shapeOf(send(ids(200)))).toBe("");
    expect((await refusal(send(ids(201)))).at).toEqual([`${field}: too_long`]);
  });
});

test("a request without its mandatory fields names each of them in order", async () => {
  const missing = (...fields: string[]) => ({ kind: "invalid", at: fields.map((field) => `${field}: missing`) });
  expect(await refusal(editor.ask(rpcs.createContext, {}))).toEqual(
    missing("title", "category_id", "context", "scope_id"),
  );
  expect(await refusal(editor.ask(rpcs.createContextCategory, {}))).toEqual(missing("name", "scope_id"));
  expect(await refusal(editor.ask(rpcs.updateContext, {}))).toEqual(missing("context_id"));
});
