import { newId } from "@assistant/kit/process/id.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Platform } from "./testing/platform.js";
import { change, createUseCase, eventsOf, outcome } from "./testing/verbs.js";

let platform: Platform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

const MANY = 50;
const ONE = { ifMatch: ["1"] };

describe("at the same time", () => {
  test("fifty requests with one key create one use case and answer it fifty times", async () => {
    const editor = platform.person({ role: "editor" });
    const idempotencyKey = newId("key");
    const answers = await many(() => createUseCase(editor, {}, { idempotencyKey }));
    expect(new Set(answers.map((useCase) => JSON.stringify(useCase))).size).toBe(1);
    expect((await editor.ask(rpcs.listUseCases, {})).items).toHaveLength(1);
  });

  test("of fifty updates on one version exactly one wins", async () => {
    const editor = platform.person({ role: "editor" });
    const { id } = await createUseCase(editor);
    const outcomes = await many((index) =>
      outcome(editor.ask(rpcs.updateUseCase, change(id, { label: { en: `${index}` } }), ONE)),
    );
    expect(tally(outcomes)).toEqual({ done: 1, stale: MANY - 1 });
  });

  test("updates of different fields lose nothing of each other, and each has its event without gaps", async () => {
    const editor = platform.person({ role: "editor" });
    const { id } = await createUseCase(editor);
    await many((index) => {
      const text = { en: `${index}` };
      return editor.ask(rpcs.updateUseCase, change(id, index % 2 === 0 ? { label: text } : { description: text }));
    });
    const { use_case } = await editor.ask(rpcs.getUseCase, { use_case_id: id });
    expect(Number(use_case?.label["en"]) % 2).toBe(0);
    expect(Number(use_case?.description["en"]) % 2).toBe(1);
    const sequences = (await eventsOf(platform, id)).map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: MANY + 1 }, (_, index) => index + 1));
  });

  test("of fifty deletions one deletes, and of fifty restorations one restores", async () => {
    const editor = platform.person({ role: "editor" });
    const { id: use_case_id } = await createUseCase(editor);
    const deletions = await many(() => outcome(editor.ask(rpcs.deleteUseCase, { use_case_id })));
    expect(tally(deletions)).toEqual({ done: 1, missing: MANY - 1 });
    const restorations = await many(() => outcome(editor.ask(rpcs.restoreUseCase, { use_case_id })));
    expect(tally(restorations)).toEqual({ done: 1, conflict: MANY - 1 });
    expect((await eventsOf(platform, use_case_id)).map(({ type }) => type.split(".").at(-1))).toEqual([
      "created",
      "deleted",
      "restored",
    ]);
  });
});

function many<T>(act: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: MANY }, (_, index) => act(index)));
}

function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of outcomes) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
