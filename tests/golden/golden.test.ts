import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";
import { type Detail, type GoldenRow, readGoldenRows, send } from "./row.js";

/** Numbers of the interface document's operations that are in the route table. */
const served = new Set([1, 3, 5, 6, 7, 9, 10, 11, 12, 13, 15, 16, 17]);

const rows = readGoldenRows().filter((row) => served.has(row.op));
let platform: Platform;
let token: string;
let names: Record<string, string>;

beforeAll(async () => {
  platform = await startPlatform();
  token = await platform.token();
  names = await createNames();
}, 90_000);
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

/** Real ids for the names in braces. */
async function createNames(): Promise<Record<string, string>> {
  const org = (await platform.get<{ items: { id: string }[] }>("/api/core/orgs", token)).items[0];
  if (!org) throw new Error("the platform started without an org");
  const post = <T>(path: string, body: object) => platform.post<T>(`/api/core/${path}`, token, body);
  const category = await post<{ id: string }>("context-categories", { name: "Golden", scope_id: org.id });
  const about = { category_id: category.id, scope_id: org.id };
  const context = await post<{ id: string }>("contexts", { title: "Golden", context: "Answer briefly.", ...about });
  const useCase = await post<{ id: string }>("use-cases", { label: { en: "Golden" } });
  const link = await post<{ token_id: string }>(`use-cases/${useCase.id}/qr-link`, {});
  const source = await post<{ id: string }>("knowledge_sources", { name: "Golden" });
  const asset = await post<{ id: string }>("knowledge_assets", {
    label: { en: "Golden" },
    knowledge_source_ids: [source.id],
  });
  const account = await post<{ id: string }>("service-accounts", { name: "Golden" });
  return {
    ...about,
    context_id: context.id,
    use_case_id: useCase.id,
    knowledge_asset_id: asset.id,
    token_id: link.token_id,
    service_account_id: account.id,
    model: await createModel("golden-1"),
  };
}

async function createModel(id: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const request = { method: "PUT", headers, body: JSON.stringify({ name: "Golden" }) };
  const { ok, status } = await fetch(`${platform.url}/api/core/models/${id}`, request);
  if (!ok) throw new Error(`the model was answered with ${status}`);
  return id;
}
