import type { Role } from "@assistant/kit/caller/caller.js";
import { newId } from "@assistant/kit/process/id.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Access, chainOf } from "./scope.js";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, faultOf } from "./testing/verbs.js";

let platform: Platform;
const orgId = newId("org");
const groupId = newId("grp");
const userId = newId("usr");
const useCaseId = newId("uc");

beforeAll(async () => {
  platform = await openPlatform();
  platform.addGroup(groupId, orgId);
  platform.setUseCase(useCaseId, orgId, 1);
});
afterAll(() => platform.close());

type Standing = "member of the group" | "manager of the group" | "not in the group" | "the user" | "somebody else";

const rows: [scope: "org" | "grp" | "usr" | "uc", role: Role, standing: Standing, access: Access][] = [
  ["org", "member", "somebody else", "read"],
  ["org", "editor", "somebody else", "write"],
  ["org", "admin", "somebody else", "write"],
  ["grp", "member", "not in the group", "none"],
  ["grp", "editor", "not in the group", "none"],
  ["grp", "admin", "not in the group", "write"],
  ["grp", "member", "member of the group", "read"],
  ["grp", "editor", "member of the group", "read"],
  ["grp", "admin", "member of the group", "write"],
  ["grp", "member", "manager of the group", "write"],
  ["grp", "editor", "manager of the group", "write"],
  ["grp", "admin", "manager of the group", "write"],
  ["usr", "member", "the user", "write"],
  ["usr", "editor", "the user", "write"],
  ["usr", "admin", "the user", "write"],
  ["usr", "member", "somebody else", "none"],
  ["usr", "editor", "somebody else", "none"],
  ["usr", "admin", "somebody else", "none"],
  ["uc", "member", "somebody else", "read"],
  ["uc", "editor", "somebody else", "write"],
  ["uc", "admin", "somebody else", "write"],
];

const scopeIds = { org: orgId, grp: groupId, usr: userId, uc: useCaseId };

describe.each(rows)("in an %s_ scope a %s who is %s", (scope, role, standing, access) => {
  const scopeId = scopeIds[scope];

  test(`has the right to ${access} contexts and categories`, async () => {
    const owner = ownerOf(scope);
    const category = await createCategory(owner, { scope_id: scopeId });
    const context = await createContext(owner, category);
    const person = personOf(role, standing);

    const known = access === "none" ? "missing" : "done";
    expect(await readings(person, context.id, category.id)).toEqual(Array(4).fill(known));
    // What a body names and the caller cannot know is a wrong value, not a missing thing.
    const named = { none: "invalid", read: "denied", write: "done" }[access];
    expect(await creations(person, category.id, scopeId)).toEqual(Array(2).fill(named));
    expect(await reorders(person, context.id, category.id, scopeId)).toEqual(Array(2).fill(named));
    const addressed = { none: "missing", read: "denied", write: "done" }[access];
    const [inUse, ...changed] = await changes(person, context.id, category.id);
    expect(changed).toEqual(Array(3).fill(addressed));
    expect(inUse).toBe(access === "write" ? "conflict" : addressed);
  });

  test(`${access === "none" ? "finds none of them" : "finds them"} in lists`, async () => {
    const owner = ownerOf(scope);
    const category = await createCategory(owner, { scope_id: scopeId });
    const context = await createContext(owner, category);
    const person = personOf(role, standing);
    const found = access === "none" ? [] : [context.id];
    const inCategory = await person.ask(rpcs.listContexts, { category_id: category.id });
    expect(inCategory.items.map(({ id }) => id)).toEqual(found);
    const all = await person.ask(rpcs.listContexts, { page_size: 200 });
    expect(all.items.filter(({ id }) => id === context.id).map(({ id }) => id)).toEqual(found);
    const categories = await person.ask(rpcs.listContextCategories, { page_size: 200 });
    expect(categories.items.some(({ id }) => id === category.id)).toBe(access !== "none");
  });
});

describe("another org", () => {
  test.each(["admin", "editor", "member"] as const)("sees nothing, its %s neither", async (role) => {
    for (const scope of ["org", "grp", "usr", "uc"] as const) {
      const owner = ownerOf(scope);
      const category = await createCategory(owner, { scope_id: scopeIds[scope] });
      const context = await createContext(owner, category);
      // Even one whose token, by a mistake elsewhere, names the same group or user.
      const ids = { groupIds: new Set([groupId]), managedGroupIds: new Set([groupId]), principalId: userId };
      const stranger = platform.person({ role, ...ids });
      expect(await readings(stranger, context.id, category.id)).toEqual(Array(4).fill("missing"));
      expect(await changes(stranger, context.id, category.id)).toEqual(Array(4).fill("missing"));
      expect((await stranger.ask(rpcs.listContexts, {})).items).toEqual([]);
      expect((await stranger.ask(rpcs.listContextCategories, {})).items).toEqual([]);
      expect((await stranger.ask(rpcs.resolveContexts, {})).items).toEqual([]);
    }
  });

  test("an admin's group of another org is an unknown scope", async () => {
    const admin = platform.person({ role: "admin", orgId });
    const foreign = newId("grp");
    platform.addGroup(foreign, newId("org"));
    for (const scope_id of [foreign, newId("grp"), newId("usr"), newId("org"), "nonsense"]) {
      const fault = await faultOf(createCategory(admin, { scope_id }));
      expect(fault.violations.map(({ message }) => message)).toEqual(["Value error, Unknown scope_id"]);
    }
  });
});

describe("without a token", () => {
  test.each(Object.entries(rpcs))("%s is refused", async (_, rpc) => {
    const nobody = platform.stranger();
    const bytes = { ...rpc, requestSerialize: () => Buffer.alloc(0), responseDeserialize: () => ({}) };
    expect((await faultOf(nobody.ask<object, object>(bytes, {}))).kind).toBe("unauthenticated");
  });
});

describe("the scope chain", () => {
  test("of a user holds the user, the user's groups and the org", () => {
    const { caller } = platform.person({ orgId, principalId: userId, groupIds: new Set([groupId]) });
    expect(chainOf(caller, userId)).toEqual([userId, groupId, orgId]);
    expect(chainOf(caller, groupId)).toEqual([groupId, orgId]);
    expect(chainOf(caller, orgId)).toEqual([orgId]);
  });

  test("lets a context be in a category around it", async () => {
    const admin = platform.person({ orgId, role: "admin" });
    const orgCategory = await createCategory(admin);
    const groupCategory = await createCategory(admin, { scope_id: groupId });
    const member = personOf("member", "member of the group");
    for (const category of [orgCategory, groupCategory]) {
      const context = await createContext(member, category, { scope_id: member.caller.principalId });
      expect(context.scope?.scope_id).toBe(member.caller.principalId);
    }
    await createContext(admin, orgCategory, { scope_id: groupId });
  });
});

function ownerOf(scope: keyof typeof scopeIds): Person {
  return scope === "usr" ? platform.person({ orgId, principalId: userId }) : platform.person({ orgId, role: "admin" });
}

function personOf(role: Role, standing: Standing): Person {
  const inGroup = standing === "member of the group" || standing === "manager of the group";
  return platform.person({
    orgId,
    role,
    ...(standing === "the user" && { principalId: userId }),
    groupIds: new Set(inGroup ? [groupId] : []),
    managedGroupIds: new Set(standing === "manager of the group" ? [groupId] : []),
  });
}

function readings(person: Person, context_id: string, context_category_id: string): Promise<string[]> {
  return outcomes([
    () => person.ask(rpcs.getContext, { context_id }),
    () => person.ask(rpcs.listContextVersions, { context_id }),
    () => person.ask(rpcs.getContextCategory, { context_category_id }),
    () => person.ask(rpcs.listContextCategoryVersions, { context_category_id }),
  ]);
}

function creations(person: Person, category_id: string, scope_id: string): Promise<string[]> {
  return outcomes([
    () => person.ask(rpcs.createContext, { title: "T", context: "C", category_id, scope_id }),
    () => person.ask(rpcs.createContextCategory, { name: "N", scope_id }),
  ]);
}

function reorders(person: Person, context_id: string, category_id: string, scope_id: string): Promise<string[]> {
  return outcomes([
    () => person.ask(rpcs.reorderContexts, { category_id, context_ids: [context_id] }),
    () => person.ask(rpcs.reorderContextCategories, { scope_id, context_category_ids: [category_id] }),
  ]);
}

function changes(person: Person, context_id: string, context_category_id: string): Promise<string[]> {
  return outcomes([
    () => person.ask(rpcs.deleteContextCategory, { context_category_id }),
    () => person.ask(rpcs.updateContext, { context_id, title: "Changed" }),
    () => person.ask(rpcs.updateContextCategory, { context_category_id, name: "Changed" }),
    () => person.ask(rpcs.deleteContext, { context_id }),
  ]);
}

async function outcomes(calls: (() => Promise<unknown>)[]): Promise<string[]> {
  const found: string[] = [];
  for (const call of calls) found.push(await outcome(call));
  return found;
}

async function outcome(call: () => Promise<unknown>): Promise<string> {
  return call().then(
    () => "done",
    async (error) => (await faultOf(Promise.reject(error))).kind,
  );
}
