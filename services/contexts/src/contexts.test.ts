import { newId } from "@assistant/kit/id.js";
import type { ContextCategory } from "@assistant/proto/assistant/contexts/v1/context_categories.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, faultOf, refusal, stackOf } from "./testing/verbs.js";

let platform: Platform;
let editor: Person;
let category: ContextCategory;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
  category = await createCategory(editor);
});
afterAll(() => platform.close());

describe("creating a context", () => {
  test("answers it with its scope, last in its category, at version 1", async () => {
    const own = await createCategory(editor, { name: "Own" });
    await createContext(editor, own, { title: "First" });
    const { answer, reply } = await editor.exchange(rpcs.createContext, {
      title: "Brief",
      category_id: own.id,
      context: "Answer briefly.",
      scope_id: editor.caller.orgId,
    });
    expect(reply.version).toBe(1);
    expect(answer.context).toEqual({
      id: expect.stringMatching(/^ctx_[0-9a-z]{26}$/),
      title: "Brief",
      category_id: own.id,
      context: "Answer briefly.",
      scope: { type: "SCOPE_TYPE_ORG", scope_id: editor.caller.orgId },
      stack_order: 1,
    });
  });

  test("reports everything that is not known at once, in the order of the fields", async () => {
    const request = { title: "T", context: "C", category_id: newId("cat"), scope_id: newId("org") };
    const fault = await faultOf(editor.ask(rpcs.createContext, request));
    expect(fault.kind).toBe("invalid");
    expect(fault.violations).toEqual([
      {
        path: ["category_id"],
        type: "value_error",
        message: "Value error, Unknown category_id",
        context: { error: {} },
      },
      { path: ["scope_id"], type: "value_error", message: "Value error, Unknown scope_id", context: { error: {} } },
    ]);
  });

  test("refuses an unknown category alone when the scope is good", async () => {
    const request = { title: "T", context: "C", category_id: "none", scope_id: editor.caller.orgId };
    expect(await refusal(editor.ask(rpcs.createContext, request))).toEqual({
      kind: "invalid",
      at: ["category_id: value_error"],
    });
  });

  test("refuses a category of a narrower scope", async () => {
    const mine = await createCategory(editor, { scope_id: editor.caller.principalId });
    const fault = await faultOf(createContext(editor, mine, { scope_id: editor.caller.orgId }));
    expect(fault.violations.map(({ path, message }) => [path, message])).toEqual([
      [["category_id"], "Value error, category_id is not in the scope chain of scope_id"],
    ]);
  });

  test("knows no use case yet", async () => {
    expect((await faultOf(createContext(editor, category, { scope_id: newId("uc") }))).kind).toBe("missing");
  });

  test("answers the stored context when it is repeated under the same key", async () => {
    const beside = { idempotencyKey: newId("key") };
    const first = await createContext(editor, category, { title: "Once" }, beside);
    expect(await createContext(editor, category, { title: "Once" }, beside)).toEqual(first);
  });

  test("emits one event that tells where it is but not what it says", async () => {
    const created = await createContext(editor, category, { title: "Secret title", context: "Secret text" });
    const events = await eventsOf(created.id);
    expect(events).toEqual([
      {
        type: "contexts.context.created",
        org_id: editor.caller.orgId,
        sequence: 1,
        actor_id: editor.caller.principalId,
        data: {
          id: created.id,
          category_id: category.id,
          scope: { type: "org", scope_id: editor.caller.orgId },
          stack_order: created.stack_order,
        },
      },
    ]);
  });
});

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
    expect(await eventsOf(context_id)).toHaveLength(1);
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
    expect((await eventsOf(id)).map(({ type, sequence }) => [type, sequence])).toEqual([
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

interface EventRow {
  type: string;
  org_id: string;
  sequence: number;
  actor_id: string;
  data: unknown;
}

function eventsOf(subject: string): Promise<EventRow[]> {
  const text = "select type, org_id, sequence, actor_id, data from outbox where subject = $1 order by pos";
  return platform.db.query("events_of", text, [subject]);
}
