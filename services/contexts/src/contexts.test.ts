import { newId } from "@assistant/kit/process/id.js";
import type { ContextCategory } from "@assistant/proto/assistant/contexts/v1/context_categories.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, eventsOf, faultOf, refusal, stackOf } from "./testing/verbs.js";

let platform: Platform;
let editor: Person;
let category: ContextCategory;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
  category = await createCategory(editor);
});
afterAll(() => platform.close());

describe("getting a context", () => {
  test("answers it with its version", async () => {
    const created = await createContext(editor, category);
    const { answer, reply } = await editor.exchange(rpcs.getContext, { context_id: created.id });
    expect(answer.context).toEqual(created);
    expect(reply.version).toBe(1);
  });

  test("finds each of many asked for at once, and nothing for unknown ids among them", async () => {
    const created = await Promise.all(
      ["a", "b", "c", "d", "e", "f"].map((title) => createContext(editor, category, { title })),
    );
    const ids = created.flatMap(({ id }) => [id, newId("ctx")]);
    const found = await Promise.all(
      ids.map((context_id) => editor.ask(rpcs.getContext, { context_id }).catch(() => "missing")),
    );
    expect(found).toEqual(created.flatMap((context) => [{ context }, "missing"]));
  });

  test.each(["", "x", "ctx_", "ctx_00000000000000000000000000", "😀"])(
    "knows nothing of the id %j",
    async (context_id) => {
      expect((await faultOf(editor.ask(rpcs.getContext, { context_id }))).kind).toBe("missing");
    },
  );
});

describe("updating a context", () => {
  test("changes what is given and leaves the rest", async () => {
    const { id } = await createContext(editor, category, { title: "Old", context: "Old text" });
    const { answer, reply } = await editor.exchange(rpcs.updateContext, { context_id: id, title: "New" });
    expect(answer.context).toMatchObject({ id, title: "New", context: "Old text", category_id: category.id });
    expect(reply.version).toBe(2);
    expect(await editor.ask(rpcs.getContext, { context_id: id })).toEqual(answer);
  });

  test("that changes nothing keeps the version and emits nothing", async () => {
    const created = await createContext(editor, category);
    const { id: context_id, title, context, category_id, stack_order } = created;
    const { answer, reply } = await editor.exchange(rpcs.updateContext, {
      context_id,
      title,
      context,
      category_id,
      stack_order,
    });
    expect(answer.context).toEqual(created);
    expect(reply.version).toBe(1);
    expect(await eventsOf(platform, context_id)).toHaveLength(1);
  });

  test("into another category puts it last there", async () => {
    const target = await createCategory(editor, { name: "Target" });
    await createContext(editor, target, { title: "There before" });
    const moved = await createContext(editor, category, { title: "Moved" });
    const { context } = await editor.ask(rpcs.updateContext, { context_id: moved.id, category_id: target.id });
    expect(context).toMatchObject({ category_id: target.id, stack_order: 1 });
    await createContext(editor, target, { title: "After" });
    expect(await stackOf(editor, target)).toEqual([
      ["There before", 0],
      ["Moved", 1],
      ["After", 2],
    ]);
  });

  test("to a position of its own lifts what comes after it", async () => {
    const own = await createCategory(editor, { name: "Lifted" });
    const { id } = await createContext(editor, own, { title: "Far" });
    await editor.ask(rpcs.updateContext, { context_id: id, stack_order: 41 });
    await createContext(editor, own, { title: "Next" });
    expect(await stackOf(editor, own)).toEqual([
      ["Far", 41],
      ["Next", 42],
    ]);
  });

  test("to the last position there is leaves the next ones there too, in the order of their creation", async () => {
    const own = await createCategory(editor, { name: "Full" });
    const { id } = await createContext(editor, own, { title: "Most" });
    await editor.ask(rpcs.updateContext, { context_id: id, stack_order: 1_000_000 });
    await createContext(editor, own, { title: "Next" });
    await createContext(editor, own, { title: "Last" });
    expect(await stackOf(editor, own)).toEqual([
      ["Most", 1_000_000],
      ["Next", 1_000_000],
      ["Last", 1_000_000],
    ]);
  });

  test("refuses an unknown category and one of another chain", async () => {
    const { id } = await createContext(editor, category);
    const mine = await createCategory(editor, { scope_id: editor.caller.principalId });
    for (const category_id of [newId("cat"), mine.id]) {
      const call = editor.ask(rpcs.updateContext, { context_id: id, category_id });
      expect(await refusal(call)).toEqual({ kind: "invalid", at: ["category_id: value_error"] });
    }
  });

  test("refuses another version before it looks at the category", async () => {
    const { id } = await createContext(editor, category);
    const request = { context_id: id, category_id: newId("cat") };
    expect((await faultOf(editor.ask(rpcs.updateContext, request, { ifMatch: ["7"] }))).kind).toBe("stale");
    expect((await faultOf(editor.ask(rpcs.updateContext, request, { ifMatch: [] }))).kind).toBe("stale");
    const { reply } = await editor.exchange(
      rpcs.updateContext,
      { context_id: id, title: "N" },
      { ifMatch: ["7", "1"] },
    );
    expect(reply.version).toBe(2);
    expect(
      (await editor.exchange(rpcs.updateContext, { context_id: id, title: "M" }, { ifMatch: "*" })).reply.version,
    ).toBe(3);
  });

  test("of an unknown context is not found", async () => {
    expect((await faultOf(editor.ask(rpcs.updateContext, { context_id: newId("ctx"), title: "N" }))).kind).toBe(
      "missing",
    );
  });
});

describe("deleting a context", () => {
  test("removes it with its versions and emits an event after the last", async () => {
    const { id } = await createContext(editor, category);
    await editor.ask(rpcs.updateContext, { context_id: id, context: "Changed" });
    expect(await editor.ask(rpcs.deleteContext, { context_id: id })).toEqual({ message: "Context deleted" });
    expect((await faultOf(editor.ask(rpcs.getContext, { context_id: id }))).kind).toBe("missing");
    expect((await faultOf(editor.ask(rpcs.deleteContext, { context_id: id }))).kind).toBe("missing");
    expect(await platform.db.query("versions", "select from context_versions where context_id = $1", [id])).toEqual([]);
    expect((await eventsOf(platform, id)).map(({ type, sequence }) => [type, sequence])).toEqual([
      ["contexts.context.created", 1],
      ["contexts.context.updated", 2],
      ["contexts.context.deleted", 3],
    ]);
  });

  test("refuses another version", async () => {
    const { id } = await createContext(editor, category);
    expect((await faultOf(editor.ask(rpcs.deleteContext, { context_id: id }, { ifMatch: ["2"] }))).kind).toBe("stale");
    await editor.ask(rpcs.deleteContext, { context_id: id }, { ifMatch: ["1"] });
  });
});
