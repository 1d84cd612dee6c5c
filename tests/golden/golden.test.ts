import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";
import { type Detail, type GoldenRow, readGoldenRows, send } from "./row.js";

/** Numbers of the interface document's operations that are in the route table. */
const served = new Set([5, 7, 9]);

const rows = readGoldenRows().filter((row) => served.has(row.op));
let platform: Platform;
let token: string;
let names: Record<string, string>;

beforeAll(async () => {
  platform = await startPlatform();
  token = await platform.token();
  names = await createNames();
});
afterAll(() => platform.stop());

describe("every golden request gets its exact answer", () => {
  test.each(rows)("operation $op: $note ($id)", (row) => check(row));
});

async function check(row: GoldenRow): Promise<void> {
  const answer = await send(row, platform.url, token, names);
  if (row.expect.not_status) expect(row.expect.not_status).not.toContain(answer.status);
  if (row.expect.status === undefined) return;
  expect({ status: answer.status, detail: view(answer.detail, row.loose) }).toEqual({
    status: row.expect.status,
    detail: view(row.expect.detail, row.loose),
  });
  for (const [name, pattern] of Object.entries(row.expect.headers ?? {})) {
    expect(String(answer.headers[name])).toMatch(new RegExp(pattern));
  }
}

function view(detail: Detail[] | undefined, loose = false) {
  if (!loose) return detail;
  return detail?.map(({ type, msg, input, loc }) => ({ type, msg, input, at: loc[0] }));
}

async function createNames(): Promise<Record<string, string>> {
  const org = (await platform.get<{ items: { id: string }[] }>("/api/core/orgs", token)).items[0];
  if (!org) throw new Error("the platform started without an org");
  const category = await platform.post<{ id: string }>("/api/core/context-categories", token, {
    name: "Golden",
    scope_id: org.id,
  });
  const context = await platform.post<{ id: string }>("/api/core/contexts", token, {
    title: "Golden",
    category_id: category.id,
    context: "Answer briefly.",
    scope_id: org.id,
  });
  return { scope_id: org.id, category_id: category.id, context_id: context.id };
}
