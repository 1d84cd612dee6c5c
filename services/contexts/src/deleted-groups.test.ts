import type { DomainEvent } from "@assistant/kit/events/event.js";
import { newId } from "@assistant/kit/process/id.js";
import { newTraceparent } from "@assistant/kit/wire/trace.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { removeGroup } from "./deleted-groups.js";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, createContexts, faultOf, refusal, stackOf } from "./testing/verbs.js";

let platform: Platform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

describe("when a group is deleted", () => {
  test("its contexts and categories are gone, with an event each, and everything else stays", async () => {
    const { admin, member, groupId } = team();
    const orgCategory = await createCategory(admin);
    const groupCategory = await createCategory(admin, { scope_id: groupId });
    const stays = await createContext(admin, orgCategory);
    const gone = [
      await createContext(admin, orgCategory, { scope_id: groupId }),
      ...(await createContexts(admin, groupCategory, ["A", "B"])),
    ];
    await remove(groupId, admin);
    for (const { id } of gone) {
      expect((await faultOf(member.ask(rpcs.getContext, { context_id: id }))).kind).toBe("missing");
    }
    const request = { context_category_id: groupCategory.id };
    expect((await faultOf(admin.ask(rpcs.getContextCategory, request))).kind).toBe("missing");
    expect((await member.ask(rpcs.getContext, { context_id: stays.id })).context).toEqual(stays);
    const text = "select subject from outbox where org_id = $1 and type ^@ 'contexts.' and type like '%deleted'";
    const events = await platform.db.query<{ subject: string }>("deleted_events", text, [admin.caller.orgId]);
    expect(events.map(({ subject }) => subject).sort()).toEqual([...gone.map(({ id }) => id), groupCategory.id].sort());
  });

  test("more than a batch of contexts is gone too", async () => {
    const { admin, groupId } = team();
    const category = await createCategory(admin, { scope_id: groupId });
    await createContext(admin, category);
    const text = `insert into contexts (id, org_id, scope_id, category_id, title, context, stack_order, version)
      select 'ctx_' || lpad(n::text, 26, '0'), org_id, scope_id, category_id, title, context, n, 1
      from contexts, generate_series(1, 1200) as n where category_id = $1`;
    await platform.db.query("fill_category", text, [category.id]);
    await remove(groupId, admin);
    const left = await platform.db.query("left_contexts", "select from contexts where scope_id = $1", [groupId]);
    expect(left).toEqual([]);
  });

  test("what a user keeps in its categories goes on in a category of the user's own", async () => {
    const { admin, member, groupId } = team();
    const groupCategory = await createCategory(admin, { name: "Team tone", scope_id: groupId });
    const scope_id = member.caller.principalId;
    for (const title of ["A", "B"]) await createContext(member, groupCategory, { title, scope_id });
    await createContext(admin, groupCategory, { title: "The group's" });
    await remove(groupId, admin);
    const { items } = await member.ask(rpcs.listContextCategories, { scope_id });
    expect(items.map(({ name, scope }) => [name, scope?.scope_id])).toEqual([["Team tone", scope_id]]);
    const [own = groupCategory] = items;
    await createContext(member, own, { title: "C" });
    expect((await stackOf(member, own)).map(([title]) => title)).toEqual(["A", "B", "C"]);
    const [context] = (await member.ask(rpcs.listContexts, { text: "A" })).items.slice(-1);
    const versions = await member.ask(rpcs.listContextVersions, { context_id: context?.id });
    expect(versions.items.map((entry) => entry.category_id)).toEqual([own.id, groupCategory.id]);
  });

  test("nobody creates anything for it any more, whatever an old token says", async () => {
    const { admin, manager, groupId } = team();
    const category = await createCategory(manager, { scope_id: groupId });
    const orgCategory = await createCategory(admin);
    await remove(groupId, admin);
    const unknownScope = { kind: "invalid", at: ["scope_id: value_error"] };
    expect(await refusal(createCategory(manager, { scope_id: groupId }))).toEqual(unknownScope);
    expect(await refusal(createContext(manager, orgCategory, { scope_id: groupId }))).toEqual(unknownScope);
    expect((await refusal(createContext(manager, category))).at).toEqual([
      "category_id: value_error",
      "scope_id: value_error",
    ]);
  });

  test("nobody creates anything for it at that very moment either", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { admin, manager, groupId } = team();
      const orgCategory = await createCategory(admin);
      const groupCategory = await createCategory(manager, { scope_id: groupId });
      const creations = Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0
          ? createContext(manager, index % 4 === 0 ? orgCategory : groupCategory, { scope_id: groupId })
          : createCategory(manager, { scope_id: groupId })
        ).catch(async (error) => expect((await faultOf(Promise.reject(error))).kind).toBe("invalid")),
      );
      await Promise.all([remove(groupId, admin), ...creations]);
      const text =
        "select id from contexts where scope_id = $1 union select id from context_categories where scope_id = $1";
      expect(await platform.db.query("left_in_scope", text, [groupId])).toEqual([]);
    }
  });

  test("the same news again, or of a group that had nothing, changes nothing", async () => {
    const { admin, groupId } = team();
    await createCategory(admin, { scope_id: groupId });
    await remove(groupId, admin);
    const count = () => platform.db.query("outbox_count", "select count(*) from outbox", []);
    const before = await count();
    await remove(groupId, admin);
    await remove(newId("grp"), admin);
    expect(await count()).toEqual(before);
  });
});

function team(): { admin: Person; manager: Person; member: Person; groupId: string } {
  const orgId = newId("org");
  const groupId = newId("grp");
  platform.addGroup(groupId, orgId);
  const groupIds = new Set([groupId]);
  return {
    groupId,
    admin: platform.person({ orgId, role: "admin" }),
    manager: platform.person({ orgId, groupIds, managedGroupIds: groupIds }),
    member: platform.person({ orgId, groupIds }),
  };
}

function remove(groupId: string, by: Person): Promise<void> {
  const origin = { actorId: "contexts", requestId: newId("req"), traceparent: newTraceparent() };
  const event: DomainEvent = {
    ...origin,
    id: newId("evt"),
    type: "identity.group.deleted",
    subject: groupId,
    orgId: by.caller.orgId,
    sequence: 2,
    data: {},
    actorId: by.caller.principalId,
    time: new Date(),
  };
  return platform.db.transaction(origin, (tx) => removeGroup(event, tx));
}
