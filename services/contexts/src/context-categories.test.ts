import { newId } from "@assistant/kit/process/id.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, faultOf, refusal } from "./testing/verbs.js";

let platform: Platform;
let editor: Person;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
});
afterAll(() => platform.close());

describe("creating a category", () => {
  test("answers it with its scope at version 1, after the others of its scope", async () => {
    const own = platform.person({ role: "editor" });
    await createCategory(own, { name: "First" });
    const { answer, reply } = await own.exchange(rpcs.createContextCategory, {
      name: "Tone",
      scope_id: own.caller.orgId,
    });
    expect(reply.version).toBe(1);
    expect(answer.context_category).toEqual({
      id: expect.stringMatching(/^cat_[0-9a-z]{26}$/),
      name: "Tone",
      stack_order: 1,
      scope: { type: "SCOPE_TYPE_ORG", scope_id: own.caller.orgId },
    });
  });

  test("at a position of its own puts the next one after it, and one before it changes nothing", async () => {
    const own = platform.person({ role: "editor" });
    expect((await createCategory(own, { stack_order: 7 })).stack_order).toBe(7);
    expect((await createCategory(own)).stack_order).toBe(8);
    expect((await createCategory(own, { stack_order: 2 })).stack_order).toBe(2);
    expect((await createCategory(own)).stack_order).toBe(9);
  });

  test("at the last position there is leaves the next one there too", async () => {
    const own = platform.person({ role: "editor" });
    expect((await createCategory(own, { stack_order: 1_000_000 })).stack_order).toBe(1_000_000);
    expect((await createCategory(own)).stack_order).toBe(1_000_000);
    expect((await createCategory(own)).stack_order).toBe(1_000_000);
  });

  test("tells the kind of its scope", async () => {
    const groupId = newId("grp");
    const manager = platform.person({ groupIds: new Set([groupId]), managedGroupIds: new Set([groupId]) });
    expect((await createCategory(manager, { scope_id: groupId })).scope?.type).toBe("SCOPE_TYPE_GROUP");
    expect((await createCategory(manager, { scope_id: manager.caller.principalId })).scope?.type).toBe(
      "SCOPE_TYPE_USER",
    );
  });

  test("refuses an unknown scope", async () => {
    for (const scope_id of [newId("org"), newId("uc")]) {
      const unknown = createCategory(editor, { scope_id });
      expect(await refusal(unknown)).toEqual({ kind: "invalid", at: ["scope_id: value_error"] });
    }
  });

  test("names the field that asks too much when a reader tries", async () => {
    const member = platform.person({ orgId: editor.caller.orgId });
    expect(await refusal(createCategory(member))).toEqual({ kind: "denied", at: ["scope_id: forbidden"] });
  });
});

describe("updating a category", () => {
  test("changes what is given, and only a new name makes a version entry", async () => {
    const { id: context_category_id } = await createCategory(editor, { name: "Old" });
    await editor.ask(rpcs.updateContextCategory, { context_category_id, stack_order: 30 });
    const { answer, reply } = await editor.exchange(rpcs.updateContextCategory, { context_category_id, name: "New" });
    expect(answer.context_category).toMatchObject({ name: "New", stack_order: 30 });
    expect(reply.version).toBe(3);
    const { items } = await editor.ask(rpcs.listContextCategoryVersions, { context_category_id });
    expect(items).toEqual([
      { version: 3, name: "New", changed_by: editor.caller.principalId, changed_at: expect.any(Date) },
      { version: 1, name: "Old", changed_by: editor.caller.principalId, changed_at: expect.any(Date) },
    ]);
    const { answer: read } = await editor.exchange(rpcs.getContextCategory, { context_category_id });
    expect(read).toEqual(answer);
  });

  test("to a position of its own lifts what comes after it", async () => {
    const own = platform.person({ role: "editor" });
    const { id } = await createCategory(own);
    await own.ask(rpcs.updateContextCategory, { context_category_id: id, stack_order: 12 });
    expect((await createCategory(own)).stack_order).toBe(13);
  });

  test("that changes nothing keeps the version", async () => {
    const { id, name, stack_order } = await createCategory(editor);
    const request = { context_category_id: id, name, stack_order };
    expect((await editor.exchange(rpcs.updateContextCategory, request)).reply.version).toBe(1);
  });

  test("refuses another version", async () => {
    const { id } = await createCategory(editor);
    const request = { context_category_id: id, name: "N" };
    expect((await faultOf(editor.ask(rpcs.updateContextCategory, request, { ifMatch: ["2"] }))).kind).toBe("stale");
  });
});

describe("deleting a category", () => {
  test("removes it with its versions and emits an event after the last", async () => {
    const { id } = await createCategory(editor);
    const message = await editor.ask(rpcs.deleteContextCategory, { context_category_id: id });
    expect(message).toEqual({ message: "Context category deleted" });
    expect((await faultOf(editor.ask(rpcs.getContextCategory, { context_category_id: id }))).kind).toBe("missing");
    const text = "select type, sequence, data from outbox where subject = $1 order by pos";
    const scope = { type: "org", scope_id: editor.caller.orgId };
    expect(await platform.db.query("events_of", text, [id])).toEqual([
      { type: "contexts.context_category.created", sequence: 1, data: { id, scope, stack_order: expect.any(Number) } },
      { type: "contexts.context_category.deleted", sequence: 2, data: { id, scope, stack_order: expect.any(Number) } },
    ]);
  });

  test("that holds contexts is refused until they are gone", async () => {
    const category = await createCategory(editor);
    const { id } = await createContext(editor, category);
    const fault = await faultOf(editor.ask(rpcs.deleteContextCategory, { context_category_id: category.id }));
    expect(fault.kind).toBe("conflict");
    expect(fault.violations.map(({ path, context }) => ({ path, context }))).toEqual([
      { path: [], context: { reason: "state" } },
    ]);
    await editor.ask(rpcs.deleteContext, { context_id: id });
    await editor.ask(rpcs.deleteContextCategory, { context_category_id: category.id });
  });

  test("refuses another version before it looks for contexts", async () => {
    const category = await createCategory(editor);
    await createContext(editor, category);
    const request = { context_category_id: category.id };
    expect((await faultOf(editor.ask(rpcs.deleteContextCategory, request, { ifMatch: ["9"] }))).kind).toBe("stale");
  });
});
