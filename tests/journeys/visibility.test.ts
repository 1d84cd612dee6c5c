import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Platform, startPlatform } from "../platform.js";

const WORLDS = 3;
const CASES = 2_000;
const FOREIGN = 8;
const PEOPLE = 6;
const GROUPS = 3;
const SOURCES = 5;
const ASSETS = 36;
const ROLES = ["admin", "member", "member", "editor", "member", "admin"] as const;

type Category = "personal" | "managed" | "external";

/** One org, by numbers: who is in which group, what is granted to whom, and what the assets hold. */
interface World {
  /** Of each group. */
  members: number[][];
  /** Of each source, beside its creator: people 0 to 5, groups 6 to 8, and 9, the org. */
  grants: number[][];
  assets: { category: Category; creator: number; sources: number[]; isDeleted: boolean }[];
  /** Sources whose grants are all taken away again, that of the creator too. */
  revoked: number[];
}

const someOf = (count: number, most: number) => fc.uniqueArray(fc.nat({ max: count - 1 }), { maxLength: most });

const worlds: fc.Arbitrary<World> = fc.record({
  members: fc.array(someOf(PEOPLE, 4), { minLength: GROUPS, maxLength: GROUPS }),
  grants: fc.array(someOf(PEOPLE + GROUPS + 1, 3), { minLength: SOURCES, maxLength: SOURCES }),
  assets: fc.array(
    fc
      .record({
        category: fc.constantFrom<Category>("managed", "managed", "managed", "personal", "external"),
        creator: fc.nat({ max: PEOPLE - 1 }),
        sources: someOf(SOURCES, 3),
        isDeleted: fc.integer({ min: 0, max: 5 }).map((chance) => chance === 0),
      })
      .map(nameable),
    { minLength: ASSETS, maxLength: ASSETS },
  ),
  revoked: someOf(SOURCES, 2),
});

/** Only admins may name every source. */
function nameable(asset: World["assets"][number]) {
  return asset.category === "personal" && ROLES[asset.creator] !== "admin" ? { ...asset, sources: [] } : asset;
}

let platform: Platform;
let root: string;
let cases = 0;
beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"] });
  root = await platform.token();
}, 90_000);
afterAll(() => platform.stop());

test("over HTTP everybody sees exactly the assets that the table of rights says", async () => {
  let elsewhere: string[] = [];
  const property = fc.asyncProperty(worlds, async (world) => {
    const built = await build(world);
    for (let person = 0; person < PEOPLE; person += 1) {
      await compare(world, built, person);
      await compareForeign(elsewhere, built.tokens[person] ?? "");
    }
    elsewhere = built.assets.slice(0, FOREIGN);
  });
  // A counterexample is as small as one org can be already: to shrink it means to build many more.
  await fc.assert(property, { numRuns: WORLDS, endOnFailure: true });
  expect(cases).toBeGreaterThanOrEqual(CASES);
}, 120_000);

/** The table of rights in a few plain lines. */
function model(world: World, person: number) {
  const mine = [person, PEOPLE + GROUPS];
  for (const [group, members] of world.members.entries()) if (members.includes(person)) mine.push(PEOPLE + group);
  const holds = (source: number) =>
    !world.revoked.includes(source) && (person === 0 || mine.some((one) => world.grants[source]?.includes(one)));
  const isAdmin = ROLES[person] === "admin";
  const sees = ({ category, creator, sources }: World["assets"][number]) => {
    if (category === "personal") return creator === person;
    return category === "external" || sources.some(holds);
  };
  const sourcesOf = ({ sources }: World["assets"][number]) => sources.filter((source) => isAdmin || holds(source));
  return { sees, sourcesOf, isAdmin };
}

interface Built {
  tokens: string[];
  sources: string[];
  assets: string[];
}

interface Shown {
  id: string;
  knowledge_source_ids: string[];
  deleted: boolean;
}

async function compare(world: World, { tokens, sources, assets }: Built, person: number): Promise<void> {
  const { sees, sourcesOf, isAdmin } = model(world, person);
  const token = tokens[person] ?? "";
  const listed = new Map((await listAll(token)).map((asset) => [asset.id, asset]));
  const expected = new Map<string, object>();
  const comparisons = world.assets.map(async (asset, index) => {
    const id = assets[index] ?? "";
    const shown = {
      id,
      knowledge_source_ids: sourcesOf(asset).map((source) => sources[source]),
      deleted: asset.isDeleted,
    };
    if (sees(asset) && !asset.isDeleted) expected.set(id, shown);
    const isRead = asset.category === "managed" && sees(asset);
    expect(await read(token, id)).toEqual(isRead && !asset.isDeleted ? shown : 404);
    const withDeleted = isRead && (!asset.isDeleted || isAdmin) ? shown : 404;
    expect(await read(token, `${id}?include_deleted=true`)).toEqual(withDeleted);
    // By its id, by its id with deleted ones, and in the list.
    cases += 3;
  });
  await Promise.all(comparisons);
  const fields = [...listed.values()].map(({ id, knowledge_source_ids, deleted }) => ({
    id,
    knowledge_source_ids,
    deleted,
  }));
  expect(fields.sort(byId)).toEqual([...expected.values()].sort(byId));
}

/** Nothing of another org is ever visible. */
async function compareForeign(ids: readonly string[], token: string): Promise<void> {
  for (const id of ids) {
    expect(await read(token, `${id}?include_deleted=true`)).toBe(404);
    cases += 1;
  }
}

// Ids are compared as they are sorted in the answers: byte by byte.
function byId(one: { id?: string }, other: { id?: string }): number {
  return (one.id ?? "") < (other.id ?? "") ? -1 : 1;
}

async function listAll(token: string): Promise<Shown[]> {
  const found: Shown[] = [];
  let next: string | null = "";
  while (next !== null) {
    const query: string = next === "" ? "" : `&page_token=${next}`;
    const path = `/api/core/knowledge_assets?page_size=7${query}`;
    const page: { items: Shown[]; next_page_token: string | null } = await platform.get(path, token);
    found.push(...page.items);
    next = page.next_page_token;
  }
  return found;
}

async function read(token: string, path: string): Promise<object | number> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${platform.url}/api/core/knowledge_assets/${path}`, { headers });
  if (!answer.ok) return answer.status;
  // The operation answers an asset.
  const { id, knowledge_source_ids, deleted } = (await answer.json()) as Shown;
  return { id, knowledge_source_ids, deleted };
}

/** Builds a world in an org of its own; person 0 creates the sources and what is managed and external. */
async function build(world: World): Promise<Built> {
  const { ids, token, signIn } = await hire();
  const principals = [...ids];
  for (const members of world.members) {
    const group = await post("groups", token, { name: "A group" });
    principals.push(group);
    // The boss keeps the token that all of this is built with: who joins a group needs a new one.
    for (const member of members.filter((one) => one !== 0)) {
      await send("POST", `groups/${group}/members`, token, { principal_id: ids[member] });
    }
  }
  principals.push(String(claimsOf(token)["org"]));
  const tokens = await signIn();
  const sources: string[] = [];
  for (const granted of world.grants) {
    const source = await post("knowledge_sources", token, { name: "A source" });
    sources.push(source);
    for (const principal of granted.filter((one) => one !== 0)) {
      await send("POST", `knowledge_sources/${source}/grants`, token, { principal_id: principals[principal] });
    }
  }
  const assets = await createAssets(world, tokens, sources);
  for (const source of world.revoked) await revokeAll(sources[source] ?? "", token);
  return { tokens, sources, assets };
}

function createAssets(world: World, tokens: string[], sources: string[]): Promise<string[]> {
  const creations = world.assets.map(async ({ category, creator, sources: named, isDeleted }) => {
    const token = tokens[category === "personal" ? creator : 0] ?? "";
    const knowledge_source_ids = named.map((one) => sources[one]);
    const id = await post("knowledge_assets", token, { label: { en: "An asset" }, category, knowledge_source_ids });
    if (isDeleted) await send("DELETE", `knowledge_assets/${id}`, token);
    return id;
  });
  return Promise.all(creations);
}

async function revokeAll(source: string, token: string): Promise<void> {
  const path = `knowledge_sources/${source}/grants`;
  const { items } = await platform.get<{ items: { principal_id: string }[] }>(`/api/core/${path}`, token);
  for (const { principal_id } of items) await send("DELETE", `${path}/${principal_id}`, token);
}

async function send(method: string, path: string, token: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${platform.url}/api/core/${path}`, { method, headers, ...content });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
}

/** An org with its people: a user who builds it, and service accounts, who have rights alike and sign in faster. */
async function hire() {
  const org = await post("orgs", root, { name: "A world" });
  const email = `${randomBytes(6).toString("hex")}@visibility.example`;
  const boss = await post("users", root, { email, name: "The boss" });
  await post(`orgs/${org}/members`, root, { user_id: boss, role: ROLES[0] });
  await send("DELETE", `orgs/${String(claimsOf(root)["org"])}/members/${boss}`, root);
  const token = await platform.token(email);
  const people: { id: string; key: string }[] = [{ id: boss, key: "" }];
  for (const role of ROLES.slice(1)) {
    const id = await post("service-accounts", token, { name: role, role });
    const path = `/api/core/service-accounts/${id}/keys`;
    people.push({ id, key: (await platform.post<{ key: string }>(path, token, {})).key });
  }
  const sign = async ({ id, key }: { id: string; key: string }) => {
    const request = { grant_type: "client_credentials", client_id: id, client_secret: key };
    return (await platform.post<{ access_token: string }>("/api/core/auth/token", "", request)).access_token;
  };
  const signIn = async () => [token, ...(await Promise.all(people.slice(1).map(sign)))];
  return { ids: people.map(({ id }) => id), token, signIn };
}

async function post(path: string, token: string, body: object): Promise<string> {
  return (await platform.post<{ id: string }>(`/api/core/${path}`, token, body)).id;
}

function claimsOf(token: string): Record<string, unknown> {
  const [, claims = ""] = token.split(".");
  return JSON.parse(Buffer.from(claims, "base64url").toString());
}
