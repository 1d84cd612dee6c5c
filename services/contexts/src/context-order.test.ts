import { newId } from "@assistant/kit/process/id.js";
import type { ContextCategory } from "@assistant/proto/assistant/contexts/v1/context_categories.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, createContexts, faultOf, refusal, stackOf } from "./testing/verbs.js";

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

async function newOrg(): Promise<{ editor: Person; category: ContextCategory }> {
  const editor = platform.person({ role: "editor" });
  return { editor, category: await createCategory(editor) };
}

describe("reordering contexts", () => {
  test("puts those named first, as named, and packs the others after them as they were", async () => {
    const { editor, category } = await newOrg();
    const [, b, c, d] = await createContexts(editor, category, ["A", "B", "C", "D"]);
    await editor.ask(rpcs.updateContext, { context_id: b?.id, stack_order: 90 });
    const message = await editor.ask(rpcs.reorderContexts, {
      category_id: category.id,
      context_ids: [d?.id ?? "", c?.id ?? ""],
    });
    expect(message).toEqual({ message: "Contexts reordered" });
    expect(await stackOf(editor, category)).toEqual([
      ["D", 0],
      ["C", 1],
      ["A", 2],
      ["B", 3],
    ]);
  });

  test("lets the next one come right after", async () => {
    const { editor, category } = await newOrg();
    const [a] = await createContexts(editor, category, ["A"]);
    await editor.ask(rpcs.updateContext, { context_id: a?.id, stack_order: 1_000_000 });
    await editor.ask(rpcs.reorderContexts, { category_id: category.id, context_ids: [a?.id ?? ""] });
    await createContexts(editor, category, ["B"]);
    expect(await stackOf(editor, category)).toEqual([
      ["A", 0],
      ["B", 1],
    ]);
  });

  test("makes a new version and an event of each context that moved, but no entry in its history", async () => {
    const { editor, category } = await newOrg();
    const [a, b, c] = await createContexts(editor, category, ["A", "B", "C"]);
    await editor.ask(rpcs.reorderContexts, { category_id: category.id, context_ids: [b?.id ?? "", a?.id ?? ""] });
    const versionOf = async (id?: string) => (await editor.exchange(rpcs.getContext, { context_id: id })).reply.version;
    expect([await versionOf(a?.id), await versionOf(b?.id), await versionOf(c?.id)]).toEqual([2, 2, 1]);
    const text = "select subject, sequence from outbox where org_id = $1 and type like '%updated'";
    const events = await platform.db.query("moved_events", text, [editor.caller.orgId]);
    expect(events).toHaveLength(2);
    expect(events).toEqual(expect.arrayContaining([a, b].map((context) => ({ subject: context?.id, sequence: 2 }))));
    const { items } = await editor.ask(rpcs.listContextVersions, { context_id: a?.id });
    expect(items.map(({ version }) => version)).toEqual([1]);
  });

  test("keeps the contexts of others in the category behind, and does not know their ids", async () => {
    const { editor, category } = await newOrg();
    const user = platform.person({ orgId: editor.caller.orgId });
    const foreign = await createContext(user, category, { scope_id: user.caller.principalId, title: "Private" });
    const [, b] = await createContexts(editor, category, ["A", "B"]);
    const request = { category_id: category.id, context_ids: [b?.id ?? "", foreign.id] };
    expect(await refusal(editor.ask(rpcs.reorderContexts, request))).toEqual({
      kind: "invalid",
      at: ["context_ids.1: value_error"],
    });
    await editor.ask(rpcs.reorderContexts, { category_id: category.id, context_ids: [b?.id ?? ""] });
    expect(await stackOf(user, category)).toEqual([
      ["B", 0],
      ["Private", 1],
      ["A", 2],
    ]);
  });

  test("names each id that is unknown, of another category or repeated", async () => {
    const { editor, category } = await newOrg();
    const [a] = await createContexts(editor, category, ["A"]);
    const elsewhere = await createContext(editor, await createCategory(editor, { name: "Other" }));
    const ids = [newId("ctx"), a?.id ?? "", elsewhere.id, a?.id ?? "", "x"];
    const fault = await faultOf(editor.ask(rpcs.reorderContexts, { category_id: category.id, context_ids: ids }));
    expect(fault.violations.map(({ path, message }) => [...path, message])).toEqual([
      ["context_ids", "0", "Value error, Unknown id"],
      ["context_ids", "2", "Value error, Unknown id"],
      ["context_ids", "3", "Value error, Repeated id"],
      ["context_ids", "4", "Value error, Unknown id"],
    ]);
  });

  test("refuses an unknown category and names the field to readers", async () => {
    const { editor, category } = await newOrg();
    const unknown = editor.ask(rpcs.reorderContexts, { category_id: newId("cat"), context_ids: ["x"] });
    expect(await refusal(unknown)).toEqual({ kind: "invalid", at: ["category_id: value_error"] });
    const member = platform.person({ orgId: editor.caller.orgId });
    const denied = member.ask(rpcs.reorderContexts, { category_id: category.id, context_ids: ["x"] });
    expect(await refusal(denied)).toEqual({ kind: "denied", at: ["category_id: forbidden"] });
  });
});

describe("reordering categories", () => {
  test("packs the categories of a scope and leaves other scopes alone", async () => {
    const { editor } = await newOrg();
    const scope_id = editor.caller.principalId;
    const names = ["A", "B", "C"];
    for (const name of names) await createCategory(editor, { name, scope_id, stack_order: 5 });
    const before = await editor.ask(rpcs.listContextCategories, { scope_id });
    const last = before.items.at(-1)?.id ?? "";
    const request = { scope_id, context_category_ids: [last] };
    expect(await editor.ask(rpcs.reorderContextCategories, request)).toEqual({
      message: "Context categories reordered",
    });
    const after = await editor.ask(rpcs.listContextCategories, { scope_id });
    expect(after.items.map(({ name, stack_order }) => [name, stack_order])).toEqual([
      ["C", 0],
      ["A", 1],
      ["B", 2],
    ]);
    expect((await createCategory(editor, { scope_id })).stack_order).toBe(3);
    expect((await createCategory(editor)).stack_order).toBe(1);
  });

  test("names each id that is unknown, of another scope or repeated", async () => {
    const { editor, category } = await newOrg();
    const scope_id = editor.caller.principalId;
    const own = await createCategory(editor, { scope_id });
    const request = { scope_id, context_category_ids: [own.id, category.id, own.id, "x"] };
    expect(await refusal(editor.ask(rpcs.reorderContextCategories, request))).toEqual({
      kind: "invalid",
      at: [
        "context_category_ids.1: value_error",
        "context_category_ids.2: value_error",
        "context_category_ids.3: value_error",
      ],
    });
  });

  test("refuses an unknown scope", async () => {
    const { editor } = await newOrg();
    const ask = (scope_id: string) =>
      editor.ask(rpcs.reorderContextCategories, { scope_id, context_category_ids: ["x"] });
    for (const unknown of [newId("grp"), newId("uc")]) {
      expect(await refusal(ask(unknown))).toEqual({ kind: "invalid", at: ["scope_id: value_error"] });
    }
  });
});
