import { newId } from "@assistant/kit/process/id.js";
import type { Context } from "@assistant/proto/assistant/contexts/v1/contexts.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, createContexts, faultOf, stackOf } from "./testing/verbs.js";

let platform: Platform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

const MANY = 50;

describe("at the same time", () => {
  test("fifty contexts take fifty positions, in a category that is used for the first time", async () => {
    const editor = platform.person({ role: "editor" });
    const category = await createCategory(editor);
    const scope_id = editor.caller.principalId;
    const created = await many((index) => createContext(editor, category, { title: `${index}`, scope_id }));
    expect(positions(created)).toEqual(Array.from({ length: MANY }, (_, index) => index));
  });

  test("fifty categories take fifty positions, in a scope that is used for the first time", async () => {
    const editor = platform.person({ role: "editor" });
    const created = await many((index) => createCategory(editor, { name: `${index}` }));
    expect(positions(created)).toEqual(Array.from({ length: MANY }, (_, index) => index));
  });

  test("fifty requests with one key create one context and answer it fifty times", async () => {
    const editor = platform.person({ role: "editor" });
    const category = await createCategory(editor);
    const idempotencyKey = newId("key");
    const answers = await many(() => createContext(editor, category, { title: "Once" }, { idempotencyKey }));
    expect(new Set(answers.map((context) => JSON.stringify(context))).size).toBe(1);
    expect(await stackOf(editor, category)).toEqual([["Once", 0]]);
  });

  test("reordering and creating leave every context at a position of its own", async () => {
    const editor = platform.person({ role: "editor" });
    const category = await createCategory(editor);
    const old = await createContexts(editor, category, ["A", "B", "C", "D"]);
    const ids = old.map(({ id }) => id);
    await many<unknown>((index) =>
      index % 5 === 0
        ? editor.ask(rpcs.reorderContexts, { category_id: category.id, context_ids: shuffled(ids, index) })
        : createContext(editor, category, { title: `${index}` }),
    );
    const stack = await stackOf(editor, category);
    expect(stack).toHaveLength(4 + MANY - MANY / 5);
    expect(new Set(stack.map(([, position]) => position)).size).toBe(stack.length);
  });

  test("reordering, moving, changing and deleting end without a failure", async () => {
    const editor = platform.person({ role: "editor" });
    const [from, to] = [await createCategory(editor), await createCategory(editor)];
    const contexts = await createContexts(editor, from, "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split(""));
    const outcomes = await Promise.all(
      contexts.flatMap(({ id: context_id }, index) => [
        settle(editor.ask(rpcs.updateContext, { context_id, category_id: index % 2 === 0 ? to.id : from.id })),
        settle(editor.ask(rpcs.updateContext, { context_id, title: "Changed" })),
        settle(editor.ask(rpcs.updateContext, { context_id, stack_order: index })),
        settle(editor.ask(rpcs.reorderContexts, { category_id: from.id, context_ids: [context_id] })),
        settle(
          index % 7 === 0
            ? editor.ask(rpcs.deleteContext, { context_id })
            : editor.ask(rpcs.getContext, { context_id }),
        ),
      ]),
    );
    // A context may be gone or elsewhere by the time its turn comes; nothing else may happen.
    expect(outcomes.filter((outcome) => !["done", "missing", "invalid", "conflict"].includes(outcome))).toEqual([]);
  });

  test("a category is deleted or gets a context, never both", async () => {
    const editor = platform.person({ role: "editor" });
    const outcomes = await many(async () => {
      const category = await createCategory(editor);
      const [created, deleted] = await Promise.all([
        settle(createContext(editor, category)),
        settle(editor.ask(rpcs.deleteContextCategory, { context_category_id: category.id })),
      ]);
      return `${created}, ${deleted}`;
    });
    expect(outcomes.filter((outcome) => outcome !== "done, conflict" && outcome !== "invalid, done")).toEqual([]);
  });

  test("a category is deleted or a context is moved into it, never both", async () => {
    const editor = platform.person({ role: "editor" });
    const home = await createCategory(editor);
    const outcomes = await many(async () => {
      const [category, context] = [await createCategory(editor), await createContext(editor, home)];
      const [moved, deleted] = await Promise.all([
        settle(editor.ask(rpcs.updateContext, { context_id: context.id, category_id: category.id })),
        settle(editor.ask(rpcs.deleteContextCategory, { context_category_id: category.id })),
      ]);
      return `${moved}, ${deleted}`;
    });
    expect(outcomes.filter((outcome) => outcome !== "done, conflict" && outcome !== "invalid, done")).toEqual([]);
  });

  test.each([
    [
      "updating",
      (person: Person, context_id: string, title: string) => person.ask(rpcs.updateContext, { context_id, title }, ONE),
    ],
    ["deleting", (person: Person, context_id: string) => person.ask(rpcs.deleteContext, { context_id }, ONE)],
  ])("of fifty %s on one version exactly one wins", async (_, change) => {
    const editor = platform.person({ role: "editor" });
    const { id } = await createContext(editor, await createCategory(editor));
    const outcomes = await many((index) => settle(change(editor, id, `Title ${index}`)));
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect(outcomes.filter((outcome) => !["done", "stale", "missing"].includes(outcome))).toEqual([]);
  });

  test("of fifty updates of a category on one version exactly one wins", async () => {
    const editor = platform.person({ role: "editor" });
    const { id: context_category_id } = await createCategory(editor);
    const outcomes = await many((index) =>
      settle(
        editor.ask(rpcs.updateContextCategory, { context_category_id, name: `${index}`, stack_order: index }, ONE),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome !== "done" && outcome !== "stale")).toEqual([]);
  });

  test("every change has its event, numbered without gaps", async () => {
    const editor = platform.person({ role: "editor" });
    const { id: context_id } = await createContext(editor, await createCategory(editor));
    await many((index) => editor.ask(rpcs.updateContext, { context_id, title: `${index}` }));
    const text = "select sequence from outbox where subject = $1 order by sequence";
    const rows = await platform.db.query<{ sequence: number }>("sequences_of", text, [context_id]);
    expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: MANY + 1 }, (_, index) => index + 1));
  });
});

const ONE = { ifMatch: ["1"] };

function many<T>(act: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: MANY }, (_, index) => act(index)));
}

function positions(created: readonly Pick<Context, "stack_order">[]): number[] {
  return created.map(({ stack_order }) => stack_order).sort((one, other) => one - other);
}

/** A permutation that depends on the seed alone. */
function shuffled(ids: readonly string[], seed: number): string[] {
  return ids.toSorted(
    (one, other) => ((one.charCodeAt(25) * (seed + 7)) % 31) - ((other.charCodeAt(25) * (seed + 7)) % 31),
  );
}

/** `done`, or the kind of the fault. */
async function settle(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "done",
    async (error) => (await faultOf(Promise.reject(error))).kind,
  );
}
