import { newId } from "@assistant/kit/process/id.js";
import type { ResolveContextsRequest } from "@assistant/proto/assistant/contexts/v1/contexts.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, createContexts, refusal } from "./testing/verbs.js";

let platform: Platform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

describe("resolving contexts", () => {
  test("stacks the org's before the groups' before the user's, each by category and own position", async () => {
    const { admin, member, groupIds } = team();
    const [first = "", second = ""] = groupIds;
    const mine = await createCategory(member, { name: "Mine", scope_id: member.caller.principalId });
    await createContexts(member, mine, ["mine 1", "mine 2"]);
    const late = await createCategory(admin, { name: "Late", stack_order: 9 });
    const early = await createCategory(admin, { name: "Early", stack_order: 3 });
    await createContexts(admin, late, ["late 1"]);
    const [one] = await createContexts(admin, early, ["early 1", "early 2"]);
    await admin.ask(rpcs.updateContext, { context_id: one?.id, stack_order: 8 });
    await createContext(member, early, { title: "mine in early", scope_id: member.caller.principalId });
    for (const scope_id of [second, first]) {
      await createContexts(admin, await createCategory(admin, { scope_id }), [`group ${scope_id}`]);
      await createContext(admin, late, { title: `late ${scope_id}`, scope_id });
    }
    expect(await titlesOf(member, {})).toEqual([
      "early 2",
      "early 1",
      "late 1",
      `group ${first}`,
      `late ${first}`,
      `group ${second}`,
      `late ${second}`,
      "mine 1",
      "mine 2",
      "mine in early",
    ]);
  });

  test("leaves out what the caller may read but does not belong to", async () => {
    const { admin, groupIds } = team();
    const scope_id = groupIds[0];
    await createContexts(admin, await createCategory(admin, { ...(scope_id && { scope_id }) }), ["group's"]);
    await createContexts(admin, await createCategory(admin), ["org's"]);
    expect(await titlesOf(admin, {})).toEqual(["org's"]);
  });

  test("pages through all of them once", async () => {
    const { admin, member } = team();
    const category = await createCategory(admin);
    await createContexts(admin, category, ["A", "B", "C"]);
    for (const title of ["D", "E"])
      await createContext(member, category, { title, scope_id: member.caller.principalId });
    const pages: string[][] = [];
    let page_token: string | undefined;
    do {
      const page = await member.ask(rpcs.resolveContexts, { page_size: 2, page_token });
      pages.push(page.items.map(({ title }) => title));
      page_token = page.next_page_token;
    } while (page_token !== undefined);
    expect(pages).toEqual([["A", "B"], ["C", "D"], ["E"]]);
  });

  test("cuts a page at a mebibyte of text", async () => {
    const { admin } = team();
    const category = await createCategory(admin);
    const context = "😀".repeat(100_000);
    for (const title of ["A", "B", "C"]) await createContext(admin, category, { title, context });
    const first = await admin.ask(rpcs.resolveContexts, {});
    expect(first.items.map(({ title }) => title)).toEqual(["A", "B"]);
    expect(await titlesOf(admin, { page_token: first.next_page_token })).toEqual(["C"]);
  });

  test("refuses a use case that is unknown, or none at all", async () => {
    const { member } = team();
    for (const use_case_id of [newId("uc"), "nonsense", member.caller.orgId]) {
      const unknown = member.ask(rpcs.resolveContexts, { use_case_id });
      expect(await refusal(unknown)).toEqual({ kind: "invalid", at: ["use_case_id: value_error"] });
    }
  });
});

function team(): { admin: Person; member: Person; groupIds: string[] } {
  const orgId = newId("org");
  const groupIds = [newId("grp"), newId("grp")].sort();
  for (const groupId of groupIds) platform.addGroup(groupId, orgId);
  const member = platform.person({ orgId, groupIds: new Set(groupIds) });
  return { admin: platform.person({ orgId, role: "admin" }), member, groupIds };
}

async function titlesOf(person: Person, request: ResolveContextsRequest): Promise<string[]> {
  return (await person.ask(rpcs.resolveContexts, request)).items.map(({ title }) => title);
}
