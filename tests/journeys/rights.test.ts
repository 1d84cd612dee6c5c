import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";

type Person = "admin" | "editor" | "manager" | "member" | "outsider" | "stranger";
type Scope = "org" | "group" | "user";

/** Reading and changing one context: 404 hides it, 403 says that it may not be done. */
const rights: Record<Scope, Record<Person, { read: number; write: number }>> = {
  org: {
    admin: { read: 200, write: 200 },
    editor: { read: 200, write: 200 },
    manager: { read: 200, write: 403 },
    member: { read: 200, write: 403 },
    outsider: { read: 200, write: 403 },
    stranger: { read: 404, write: 404 },
  },
  group: {
    admin: { read: 200, write: 200 },
    editor: { read: 404, write: 404 },
    manager: { read: 200, write: 200 },
    member: { read: 200, write: 403 },
    outsider: { read: 404, write: 404 },
    stranger: { read: 404, write: 404 },
  },
  user: {
    admin: { read: 404, write: 404 },
    editor: { read: 404, write: 404 },
    manager: { read: 404, write: 404 },
    member: { read: 200, write: 200 },
    outsider: { read: 404, write: 404 },
    stranger: { read: 404, write: 404 },
  },
};

let platform: Platform;
const tokens = new Map<Person, string>();
const categories = new Map<Scope, string>();
const contexts = new Map<Scope, string>();
const scopeIds = new Map<Scope, string>();

beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"] });
  await createPeople();
  for (const [scope, person] of [
    ["org", "editor"],
    ["group", "manager"],
    ["user", "member"],
  ] as const) {
    await createContext(scope, person);
  }
}, 90_000);
afterAll(() => platform.stop());

describe("over HTTP, by scope and person", () => {
  for (const [scope, people] of Object.entries(rights) as [Scope, (typeof rights)[Scope]][]) {
    for (const [person, { read, write }] of Object.entries(people) as [Person, { read: number; write: number }][]) {
      test(`${person}: a context of a ${scope} is read with ${read} and changed with ${write}`, async () => {
        const path = `/api/core/contexts/${known(contexts, scope)}`;
        expect(await status(person, "GET", path)).toBe(read);
        expect(await status(person, "GET", `${path}/versions`)).toBe(read);
        expect(await status(person, "PUT", path, { title: `By ${person}` })).toBe(write);
        if (write !== 200) expect(await status(person, "DELETE", path)).toBe(write);
      });

      test(`${person}: a category of a ${scope} is read with ${read} and changed with ${write}`, async () => {
        const path = `/api/core/context-categories/${known(categories, scope)}`;
        expect(await status(person, "GET", path)).toBe(read);
        expect(await status(person, "GET", `${path}/versions`)).toBe(read);
        expect(await status(person, "PUT", path, { name: `By ${person}` })).toBe(write);
        if (write !== 200) expect(await status(person, "DELETE", path)).toBe(write);
      });

      test(`${person}: lists show what is in a ${scope} exactly to those who read it`, async () => {
        const listed = await items(person, "GET", "/api/core/contexts");
        expect(listed.includes(known(contexts, scope))).toBe(read === 200);
      });

      test(`${person}: creating in a ${scope} answers ${creation(read, write)}`, async () => {
        const body = { name: "Another", scope_id: known(scopeIds, scope) };
        expect(await status(person, "POST", "/api/core/context-categories", body)).toBe(creation(read, write));
      });
    }
  }

  test("without a token nothing is read and nothing is changed", async () => {
    for (const [method, path] of [
      ["GET", "/api/core/contexts"],
      ["POST", "/api/core/contexts"],
    ] as const) {
      const answer = await fetch(`${platform.url}${path}`, { method });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
  });
});

/** A scope that the caller may not know of is an id that names nothing. */
function creation(read: number, write: number): number {
  if (write === 200) return 201;
  return read === 200 ? 403 : 422;
}

async function createPeople(): Promise<void> {
  const admin = await platform.token();
  tokens.set("admin", admin);
  const org = (await platform.get<{ items: { id: string }[] }>("/api/core/orgs", admin)).items[0];
  if (!org) throw new Error("the platform started without an org");
  const group = await platform.post<{ id: string }>("/api/core/groups", admin, { name: "Legal" });
  const ids = new Map<Person, string>();
  for (const person of ["editor", "manager", "member", "outsider", "stranger"] as const) {
    const user = { email: `${person}@rights.example`, name: person, role: person === "editor" ? "editor" : "member" };
    ids.set(person, (await platform.post<{ id: string }>("/api/core/users", admin, user)).id);
  }
  for (const [person, manager] of [
    ["manager", true],
    ["member", false],
  ] as const) {
    const membership = { principal_id: known(ids, person), manager };
    await platform.post(`/api/core/groups/${group.id}/members`, admin, membership);
  }
  await moveToAnotherOrg(org.id, known(ids, "stranger"));
  for (const person of ids.keys()) tokens.set(person, await platform.token(`${person}@rights.example`));
  scopeIds.set("org", org.id).set("group", group.id).set("user", known(ids, "member"));
}

/** Even an admin, so that nothing but the org keeps them out. */
async function moveToAnotherOrg(orgId: string, userId: string): Promise<void> {
  const admin = known(tokens, "admin");
  const other = await platform.post<{ id: string }>("/api/core/orgs", admin, { name: "Another org" });
  await platform.post(`/api/core/orgs/${other.id}/members`, admin, { user_id: userId, role: "admin" });
  expect(await status("admin", "DELETE", `/api/core/orgs/${orgId}/members/${userId}`)).toBe(200);
}

async function createContext(scope: Scope, person: Person): Promise<void> {
  const token = known(tokens, person);
  const scopeId = known(scopeIds, scope);
  const category = await platform.post<{ id: string }>("/api/core/context-categories", token, {
    name: `Of the ${scope}`,
    scope_id: scopeId,
  });
  const context = await platform.post<{ id: string }>("/api/core/contexts", token, {
    title: `Of the ${scope}`,
    category_id: category.id,
    context: "Answer briefly.",
    scope_id: scopeId,
  });
  categories.set(scope, category.id);
  contexts.set(scope, context.id);
}

async function status(person: Person, method: string, path: string, body?: unknown): Promise<number> {
  return (await send(person, method, path, body)).status;
}

async function items(person: Person, method: string, path: string): Promise<string[]> {
  const answer = (await (await send(person, method, path)).json()) as { items: { id: string }[] };
  return answer.items.map(({ id }) => id);
}

function send(person: Person, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${known(tokens, person)}`, "content-type": "application/json" };
  return fetch(`${platform.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function known<Key, Value>(values: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = values.get(key);
  if (value === undefined) throw new Error(`${String(key)} is not there yet`);
  return value;
}
