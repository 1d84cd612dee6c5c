import type { Sql } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import { callerOf } from "@assistant/kit/testing.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import type { ListUseCasesRequest } from "@assistant/proto/assistant/catalog/v1/use_cases.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { visibleAssets } from "./knowledge/visibility.js";
import { listUseCases, type UseCaseFilter } from "./store/use-case-lists.js";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createUseCase, present, refusal } from "./testing/verbs.js";

let platform: Platform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

describe("listing use cases", () => {
  test("shows those of the org that are not deleted, newest first", async () => {
    const editor = platform.person({ role: "editor" });
    const [, b] = await createAll(editor, ["A", "B", "C"]);
    await createAll(platform.person({ role: "editor" }), ["Elsewhere"]);
    await editor.ask(rpcs.deleteUseCase, { use_case_id: b?.id });
    expect(await labelsOf(editor, {})).toEqual(["C", "A"]);
    await editor.ask(rpcs.restoreUseCase, { use_case_id: b?.id });
    expect(await labelsOf(editor, {})).toEqual(["C", "B", "A"]);
    expect(await labelsOf(platform.person({ orgId: editor.caller.orgId }), {})).toEqual(["C", "B", "A"]);
  });

  test.each([
    ["all", {}],
    ["found by text", { text: "no" }],
  ])("pages through them once, %s", async (_, about) => {
    const editor = platform.person({ role: "editor" });
    const labels = Array.from({ length: 7 }, (_, index) => `No ${index}`);
    await createAll(editor, labels);
    const pages = await pagesOf(editor, { page_size: 3, ...about });
    expect(pages).toEqual([["No 6", "No 5", "No 4"], ["No 3", "No 2", "No 1"], ["No 0"]]);
  });

  test("ends without a token where a page is just full", async () => {
    const editor = platform.person({ role: "editor" });
    await createAll(editor, ["A", "B"]);
    expect(await pagesOf(editor, { page_size: 2 })).toEqual([["B", "A"]]);
  });

  test("loses and doubles nothing that stays while others come and go", async () => {
    const editor = platform.person({ role: "editor" });
    const [a, , c] = await createAll(editor, ["A", "B", "C", "D"]);
    const { next_page_token: page_token } = await editor.ask(rpcs.listUseCases, { page_size: 1 });
    for (const gone of [a, c]) await editor.ask(rpcs.deleteUseCase, { use_case_id: gone?.id });
    await createAll(editor, ["E"]);
    expect(await labelsOf(editor, { page_token })).toEqual(["B"]);
  });

  test.each([
    ["ÄRGER", "über ärger", true],
    ["żółć", "ZAŻÓŁĆ", true],
    ["100%", "100% sure", true],
    ["100%", "1000 sure", false],
    ["a_b", "axb", false],
    ['"', 'so "to speak"', true],
    ["pl", "anything", false],
  ])("looks for %j in %j whatever the case, in every language: %s", async (text, said, isFound) => {
    const editor = platform.person({ role: "editor" });
    await createUseCase(editor, { label: { de: "D", pl: said } });
    await createUseCase(editor, { label: { en: "E" }, description: { en: "E", sv: said } });
    await createUseCase(editor, { label: { en: "Neither" } });
    const { items } = await editor.ask(rpcs.listUseCases, { text });
    expect(items).toHaveLength(isFound ? 2 : 0);
  });

  test("cuts a page at a mebibyte of text, but never to nothing", async () => {
    const editor = platform.person({ role: "editor" });
    const languages = ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv"];
    // Four bytes each: one of these descriptions is 144,000 bytes, eight are more than a mebibyte.
    const description = Object.fromEntries(languages.map((language) => [language, "😀".repeat(4_000)]));
    const labels = Array.from({ length: 9 }, (_, index) => `${index}`);
    for (const en of labels) await createUseCase(editor, { label: { en }, description });
    const pages = await pagesOf(editor, { page_size: 200 });
    expect(pages.map((page) => page.length)).toEqual([7, 2]);
    expect(pages.flat()).toEqual(labels.toReversed());
  });

  test.each([
    ["another text", (token: string) => ({ text: "b", page_token: token })],
    ["a change of a letter", (token: string) => ({ text: "a", page_token: flipped(token) })],
  ])("opens a page token for nothing but its list: not for %s", async (_, request) => {
    const editor = platform.person({ role: "editor" });
    await createAll(editor, ["a1", "a2"]);
    const { next_page_token: token = "" } = await editor.ask(rpcs.listUseCases, { text: "a", page_size: 1 });
    const refused = { kind: "invalid", at: ["page_token: page_token_invalid"] };
    expect(await refusal(editor.ask(rpcs.listUseCases, request(token)))).toEqual(refused);
    const colleague = platform.person({ orgId: editor.caller.orgId });
    expect(await refusal(colleague.ask(rpcs.listUseCases, { text: "a", page_token: token }))).toEqual(refused);
  });

  test.each([
    ["the newest", {}],
    ["far down", { before: newId("uc") }],
    ["those with a text", { text: "contract" }],
    ["a guest's", { id: newId("uc"), before: newId("uc") }],
    ["those with an asset", { asset: { id: newId("ka"), sight: visibleAssets(callerOf({})) } }],
  ])("reads %s from an index, without sorting", async (_, about) => {
    const steps = await planOf({ orgId: newId("org"), pageSize: 50, ...about });
    expect(steps).toMatch(/Index (Only )?Scan (Backward )?using use_cases_/);
    expect(steps).not.toMatch(/Seq Scan on use_cases/);
    // What is sorted are the keys of one page.
    expect(steps.slice(steps.indexOf("Limit"))).not.toContain("Sort");
  });
});

const ORIGIN = { actorId: "", requestId: "test", traceparent: "" };

/** How Postgres would find a page. */
async function planOf(filter: UseCaseFilter): Promise<string> {
  const asked: { name: string; text: string; values: readonly unknown[] }[] = [];
  const listener: Sql = {
    query: async (name, text, values) => {
      asked.push({ name, text, values });
      return [];
    },
    run: () => Promise.reject(new Error("lists are prepared statements")),
  };
  await listUseCases(listener, filter);
  return platform.db.transaction(ORIGIN, async (tx) => {
    // An empty table is read as a whole unless that is forbidden.
    await tx.query("forbid_seqscan", "set local enable_seqscan = off", []);
    await tx.query("forbid_bitmapscan", "set local enable_bitmapscan = off", []);
    const { name, text, values } = present(asked[0]);
    const plan = await tx.query<Record<string, string>>(`explain_${name}`, `explain ${text}`, values);
    return plan.map((line) => line["QUERY PLAN"]).join("\n");
  });
}

async function createAll(editor: Person, labels: readonly string[]) {
  const created = [];
  for (const en of labels) created.push(await createUseCase(editor, { label: { en } }));
  return created;
}

async function labelsOf(person: Person, request: ListUseCasesRequest): Promise<(string | undefined)[]> {
  return (await person.ask(rpcs.listUseCases, request)).items.map(({ label }) => label["en"]);
}

async function pagesOf(person: Person, request: ListUseCasesRequest): Promise<(string | undefined)[][]> {
  const pages = [];
  let page_token: string | undefined;
  do {
    const answer = await person.ask(rpcs.listUseCases, { ...request, page_token });
    pages.push(answer.items.map(({ label }) => label["en"]));
    page_token = answer.next_page_token;
  } while (page_token !== undefined);
  return pages;
}

function flipped(token: string): string {
  return `${token.slice(0, 9)}${token[9] === "A" ? "B" : "A"}${token.slice(10)}`;
}
