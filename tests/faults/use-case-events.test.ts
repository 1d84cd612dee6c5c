import { until } from "@assistant/kit/testing/until.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { type Platform, startPlatform } from "../platform.js";

let platform: Platform;
let admin: string;
let orgId: string;

beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"] });
  admin = await platform.token();
  const { items } = await platform.get<{ items: { id: string }[] }>("/api/core/orgs", admin);
  orgId = items[0]?.id ?? "";
}, 90_000);
afterAll(() => platform.stop());

describe("when a use case is deleted", () => {
  test("no context, favorite or QR link of it is reachable once the events have run, and the news again change nothing", async () => {
    const used = await useEverything();
    const other = await useEverything();
    expect(await reachable(used)).toEqual({ context: 200, category: 200, resolved: ["Of the use case"], ...HERE });
    expect((await ask("DELETE", `use-cases/${used.useCaseId}`)).status).toBe(200);
    const gone = { context: 404, category: 404, resolved: "use_case_id", isFavorite: false, signIn: 400 };
    await until(async () => (await reachable(used)).context === 404 && !(await reachable(used)).isFavorite);
    await until(async () => (await reachable(used)).signIn === 400);
    expect(await reachable(used)).toEqual(gone);
    expect((await reachable(other)).context).toBe(200);

    await restoreAndDelete(used.useCaseId);
    await purge(used.useCaseId);
    await settled();
    const before = await everything();
    for (let round = 0; round < 2; round += 1) {
      await tellAgain();
      await settled();
    }
    expect(await everything()).toEqual(before);
    expect(await reachable(used)).toEqual(gone);
    expect((await reachable(other)).context).toBe(200);
    expect(await rows("contexts", "select id from contexts where scope_id = $1", [used.useCaseId])).toEqual([]);
  }, 90_000);

  test("and restored, its contexts are there again, but neither its favorites nor its links", async () => {
    const used = await useEverything();
    await ask("DELETE", `use-cases/${used.useCaseId}`);
    await until(async () => (await reachable(used)).signIn === 400 && (await reachable(used)).context === 404);
    expect((await ask("POST", `use-cases/${used.useCaseId}/restore`)).status).toBe(200);
    await until(async () => (await reachable(used)).context === 200);
    expect(await reachable(used)).toEqual({
      context: 200,
      category: 200,
      resolved: ["Of the use case"],
      isFavorite: false,
      signIn: 400,
    });
  }, 60_000);
});

const HERE = { isFavorite: true, signIn: 200 };

interface Used {
  useCaseId: string;
  contextId: string;
  categoryId: string;
  link: string;
}

/** A use case that contexts, a favorite and a QR link refer to. */
async function useEverything(): Promise<Used> {
  const post = <T>(path: string, body: object) => platform.post<T>(`/api/core/${path}`, admin, body);
  const { id: useCaseId } = await post<{ id: string }>("use-cases", { label: { en: "Used" } });
  const category = await post<{ id: string }>("context-categories", { name: "Own", scope_id: useCaseId });
  const about = { title: "Of the use case", context: "Answer briefly.", category_id: category.id };
  const context = await post<{ id: string }>("contexts", { ...about, scope_id: useCaseId });
  expect((await ask("PUT", `user/favorites/${useCaseId}`)).status).toBe(200);
  const { token } = await post<{ token: string }>(`use-cases/${useCaseId}/qr-link`, {});
  return { useCaseId, contextId: context.id, categoryId: category.id, link: token };
}

/** What can be reached of what refers to a use case. */
async function reachable({ useCaseId, contextId, categoryId, link }: Used) {
  const resolved = await ask("POST", "contexts/resolve", { use_case_id: useCaseId });
  // The contract says what is answered; the tests compare it field by field.
  const answer = (await resolved.json()) as { items?: { title: string }[]; detail?: { loc: string[] }[] };
  const profile = await ask("GET", "user/profile");
  const { favorite_use_cases } = (await profile.json()) as { favorite_use_cases: string[] };
  const form = new URLSearchParams({ grant_type: "urn:assistant:grant-type:magic-link", token: link });
  return {
    context: (await ask("GET", `contexts/${contextId}`)).status,
    category: (await ask("GET", `context-categories/${categoryId}`)).status,
    resolved: answer.items?.map(({ title }) => title) ?? answer.detail?.[0]?.loc[1],
    isFavorite: favorite_use_cases.includes(useCaseId),
    signIn: (await fetch(`${platform.url}/api/core/auth/token`, { method: "POST", body: form })).status,
  };
}

async function restoreAndDelete(useCaseId: string): Promise<void> {
  expect((await ask("POST", `use-cases/${useCaseId}/restore`)).status).toBe(200);
  expect((await ask("DELETE", `use-cases/${useCaseId}`)).status).toBe(200);
}

/** As catalog does when the use case cannot be restored any more, which takes days. */
async function purge(useCaseId: string): Promise<void> {
  const text = `with effect as (delete from use_cases where id = $1 returning id, org_id, version + 1 as version)
    insert into outbox (id, type, subject, org_id, sequence, data, actor_id, request_id, traceparent)
    select 'evt_' || right(id, 26), 'catalog.use_case.purged', id, org_id, version, '{}', '', '', '' from effect`;
  await rows("catalog", text, [useCaseId]);
}

/** Has every event of catalog sent once more, as new ones, in whatever order. */
async function tellAgain(): Promise<void> {
  const text = `insert into outbox (id, type, subject, org_id, sequence, data, actor_id, request_id, traceparent)
    select left(id, -8) || lpad(to_hex((random() * 4294967295)::bigint), 8, '0'), type, subject, org_id, sequence, data,
      actor_id, request_id, traceparent
    from outbox where type ^@ 'catalog.use_case.' and type not like '%asset%' and org_id = $1 order by random()`;
  await rows("catalog", text, [orgId]);
}

/** Until catalog has sent all its events and those who hear of them have done what they do. */
async function settled(): Promise<void> {
  const unsent = "select id from outbox where sent_at is null";
  await until(async () => (await rows("catalog", unsent)).length === 0);
  const heard = {
    contexts: ["created", "restored", "deleted", "purged"],
    identity: ["deleted"],
  };
  for (const [service, verbs] of Object.entries(heard)) {
    const types = verbs.map((verb) => `catalog.use_case.${verb}`);
    const sent = await rows<{ id: string }>("catalog", "select id from outbox where type = any($1)", [types]);
    const ids = sent.map(({ id }) => id);
    const noted = "select id from inbox where consumer = $1 and id = any($2)";
    await until(async () => (await rows(service, noted, [service, ids])).length === ids.length);
  }
}

/** All that the consumers of these events hold because of them. */
async function everything() {
  const tables = {
    contexts: ["contexts", "context_categories", "context_versions", "context_category_versions", "use_cases"],
    identity: ["favorites", "use_case_guests"],
  };
  const found: Record<string, unknown[]> = {};
  for (const [service, names] of Object.entries(tables)) {
    for (const name of names) {
      found[name] = await rows(service, `select to_jsonb(held) as held from ${name} as held order by held::text`);
    }
  }
  found["scopes"] = await rows(
    "contexts",
    "select org_id, scope_id, deleted_at is null as open from scopes order by 2",
  );
  return found;
}

function ask(method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${admin}`, "content-type": "application/json" };
  return fetch(`${platform.url}/api/core/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

async function rows<Row>(service: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: await platform.databaseUrl(service) });
  await client.connect();
  try {
    // The row type stands for the columns that the statement lists.
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}
