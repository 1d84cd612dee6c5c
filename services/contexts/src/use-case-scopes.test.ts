import type { Tx } from "@assistant/kit/database/postgres.js";
import type { DomainEvent } from "@assistant/kit/events/event.js";
import { newId } from "@assistant/kit/process/id.js";
import { newTraceparent } from "@assistant/kit/wire/trace.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { eventHandlers } from "./event-handlers.js";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, createContexts, faultOf, refusal } from "./testing/verbs.js";

let platform: Platform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

const unknownScope = { kind: "invalid", at: ["scope_id: value_error"] };

describe("contexts of a use case", () => {
  test("are created in a category of its own or of the org, and stack after groups' and before the user's", async () => {
    const { editor, member, useCaseId } = team();
    const orgCategory = await createCategory(editor, { name: "Org's" });
    const own = await createCategory(editor, { name: "Own", scope_id: useCaseId });
    expect(own.scope).toEqual({ type: "SCOPE_TYPE_USE_CASE", scope_id: useCaseId });
    await createContext(member, orgCategory, { title: "member's", scope_id: member.caller.principalId });
    await createContext(editor, orgCategory, { title: "org's" });
    await createContexts(editor, own, ["own"]);
    await createContext(editor, orgCategory, { title: "own in org's", scope_id: useCaseId });
    const without = await titlesOf(member, {});
    expect(without).toEqual(["org's", "member's"]);
    expect(await titlesOf(member, { use_case_id: useCaseId })).toEqual(["org's", "own in org's", "own", "member's"]);
  });

  test("do not go into a category of a group, and nothing of the org or a user goes into one of the use case", async () => {
    const { editor, useCaseId, orgId } = team();
    const groupId = newId("grp");
    platform.addGroup(groupId, orgId);
    const admin = platform.person({ orgId, role: "admin" });
    const group = await createCategory(admin, { scope_id: groupId });
    expect((await refusal(createContext(admin, group, { scope_id: useCaseId }))).at).toEqual([
      "category_id: value_error",
    ]);
    const own = await createCategory(editor, { scope_id: useCaseId });
    for (const scope_id of [orgId, editor.caller.principalId]) {
      expect((await refusal(createContext(editor, own, { scope_id }))).at).toEqual(["category_id: value_error"]);
    }
  });

  test("are in lists of those who may read the use case, and of nobody else", async () => {
    const { editor, member, useCaseId } = team();
    const own = await createCategory(editor, { scope_id: useCaseId });
    const context = await createContext(editor, own);
    const { items } = await member.ask(rpcs.listContexts, { scope_id: useCaseId });
    expect(items).toEqual([context]);
    expect((await member.ask(rpcs.listContextCategories, { scope_id: useCaseId })).items).toEqual([own]);
    const stranger = platform.person({ role: "admin" });
    expect((await stranger.ask(rpcs.listContexts, { scope_id: useCaseId })).items).toEqual([]);
    expect(await refusal(createCategory(stranger, { scope_id: useCaseId }))).toEqual(unknownScope);
    const resolved = stranger.ask(rpcs.resolveContexts, { use_case_id: useCaseId });
    expect((await refusal(resolved)).at).toEqual(["use_case_id: value_error"]);
  });

  test("are resolved for its guests, alone, and guests do nothing else", async () => {
    const { editor, useCaseId, orgId } = team();
    const own = await createCategory(editor, { scope_id: useCaseId });
    await createContexts(editor, own, ["own"]);
    await createContexts(editor, await createCategory(editor), ["org's"]);
    const account = { orgId, kind: "service_account", principalId: newId("sva") } as const;
    const guest = platform.person({ ...account, useCaseId });
    expect(await titlesOf(guest, {})).toEqual(["own"]);
    expect(await titlesOf(guest, { use_case_id: useCaseId })).toEqual(["own"]);
    const other = newId("uc");
    platform.setUseCase(other, orgId, 1);
    expect((await refusal(guest.ask(rpcs.resolveContexts, { use_case_id: other }))).kind).toBe("invalid");
    for (const role of ["member", "admin"] as const) {
      const somebody = platform.person({ ...account, role, useCaseId });
      expect((await faultOf(somebody.ask(rpcs.listContexts, {}))).kind).toBe("denied");
      expect((await faultOf(createCategory(somebody, { scope_id: useCaseId }))).kind).toBe("denied");
    }
  });

  test("are resolved for a use case that has none and that nobody told of yet", async () => {
    const { member, useCaseId } = team();
    expect(await titlesOf(member, { use_case_id: useCaseId })).toEqual([]);
  });
});

describe("when a use case is deleted", () => {
  test("its contexts and categories are there for nobody until it is restored, and nothing is created", async () => {
    const { editor, member, useCaseId, orgId } = team();
    const orgCategory = await createCategory(editor);
    const own = await createCategory(editor, { scope_id: useCaseId });
    const inOwn = await createContext(editor, own);
    const inOrgs = await createContext(editor, orgCategory, { scope_id: useCaseId });
    const before = await sightOf(member, useCaseId);
    await hear("deleted", useCaseId, orgId, 2);
    platform.setUseCase(useCaseId, orgId, 0);
    expect(await sightOf(member, useCaseId)).toEqual({ contexts: [], categories: [], resolved: "invalid" });
    for (const request of [
      editor.ask(rpcs.getContext, { context_id: inOwn.id }),
      editor.ask(rpcs.updateContext, { context_id: inOrgs.id, title: "Changed" }),
      editor.ask(rpcs.listContextVersions, { context_id: inOwn.id }),
      editor.ask(rpcs.deleteContext, { context_id: inOwn.id }),
      editor.ask(rpcs.getContextCategory, { context_category_id: own.id }),
      editor.ask(rpcs.updateContextCategory, { context_category_id: own.id, stack_order: 9 }),
      editor.ask(rpcs.deleteContextCategory, { context_category_id: own.id }),
    ]) {
      expect((await faultOf(request)).kind).toBe("missing");
    }
    const order = { category_id: orgCategory.id, context_ids: [inOrgs.id] };
    expect((await refusal(editor.ask(rpcs.reorderContexts, order))).at).toEqual(["context_ids.0: value_error"]);
    expect(await refusal(createContext(editor, orgCategory, { scope_id: useCaseId }))).toEqual(unknownScope);
    expect(await refusal(createCategory(editor, { scope_id: useCaseId }))).toEqual(unknownScope);
    await hear("restored", useCaseId, orgId, 3);
    platform.setUseCase(useCaseId, orgId, 3);
    expect(await sightOf(member, useCaseId)).toEqual(before);
    expect(before.contexts).toEqual([inOrgs.id, inOwn.id]);
  });

  test("what was asked before the deletion creates nothing after it", async () => {
    const { editor, useCaseId, orgId } = team();
    const category = await createCategory(editor);
    await hear("deleted", useCaseId, orgId, 2);
    // Catalog answers as it did before the deletion.
    platform.setUseCase(useCaseId, orgId, 1);
    expect(await refusal(createCategory(editor, { scope_id: useCaseId }))).toEqual(unknownScope);
    expect(await refusal(createContext(editor, category, { scope_id: useCaseId }))).toEqual(unknownScope);
  });

  test("what catalog says counts before the event of it arrives", async () => {
    const { editor, member, useCaseId, orgId } = team();
    await hear("deleted", useCaseId, orgId, 2);
    platform.setUseCase(useCaseId, orgId, 3);
    const own = await createCategory(editor, { scope_id: useCaseId });
    expect((await sightOf(member, useCaseId)).categories).toEqual([own.id]);
    await hear("deleted", useCaseId, orgId, 2);
    expect((await sightOf(member, useCaseId)).categories).toEqual([own.id]);
  });
});

describe("when a use case is gone for good", () => {
  test("its contexts and categories are removed, and all else stays", async () => {
    const { editor, useCaseId, orgId } = team();
    const orgCategory = await createCategory(editor);
    const stays = await createContext(editor, orgCategory);
    const own = await createCategory(editor, { scope_id: useCaseId });
    await createContexts(editor, own, ["A", "B"]);
    await createContext(editor, orgCategory, { scope_id: useCaseId });
    await hear("deleted", useCaseId, orgId, 2);
    await hear("purged", useCaseId, orgId, 3);
    expect(await leftOf(useCaseId)).toEqual([]);
    expect((await editor.ask(rpcs.getContext, { context_id: stays.id })).context).toEqual(stays);
    expect(await refusal(createCategory(editor, { scope_id: useCaseId }))).toEqual(unknownScope);
  });

  test("nobody creates anything for it at that very moment either", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { editor, useCaseId, orgId } = team();
      const category = await createCategory(editor);
      const own = await createCategory(editor, { scope_id: useCaseId });
      const creations = Array.from({ length: 12 }, (_, index) =>
        (index % 3 === 0
          ? createCategory(editor, { scope_id: useCaseId })
          : createContext(editor, index % 3 === 1 ? category : own, { scope_id: useCaseId })
        ).catch(async (error) => expect((await faultOf(Promise.reject(error))).kind).toBe("invalid")),
      );
      await Promise.all([hear("purged", useCaseId, orgId, 3), ...creations]);
      expect(await leftOf(useCaseId)).toEqual([]);
    }
  });

  test("its news, in whatever order and however often, leave the same", async () => {
    const news = ["created", "deleted", "restored", "deleted", "purged"] as const;
    const orders = [
      [0, 1, 2, 3, 4],
      [4, 3, 2, 1, 0],
      [3, 4, 0, 2, 1],
      [2, 0, 4, 1, 3],
    ];
    for (const order of orders) {
      const { editor, member, useCaseId, orgId } = team();
      await createContexts(editor, await createCategory(editor, { scope_id: useCaseId }), ["A"]);
      platform.setUseCase(useCaseId, orgId, 0);
      for (const index of [...order, ...order]) await hear(news[index] ?? "purged", useCaseId, orgId, index + 1);
      expect(await leftOf(useCaseId)).toEqual([]);
      const text = "select version, is_deleted from use_cases where id = $1";
      expect(await platform.db.query("known_use_case", text, [useCaseId])).toEqual([{ version: 5, is_deleted: true }]);
      expect((await sightOf(member, useCaseId)).resolved).toBe("invalid");
    }
  });
});

function team(): { editor: Person; member: Person; useCaseId: string; orgId: string } {
  const orgId = newId("org");
  const useCaseId = newId("uc");
  platform.setUseCase(useCaseId, orgId, 1);
  return {
    orgId,
    useCaseId,
    editor: platform.person({ orgId, role: "editor" }),
    member: platform.person({ orgId }),
  };
}

/** Ids of what somebody finds of a use case. */
async function sightOf(person: Person, useCaseId: string) {
  const contexts = (await person.ask(rpcs.listContexts, {})).items.map(({ id }) => id);
  const categories = (await person.ask(rpcs.listContextCategories, { scope_id: useCaseId })).items.map(({ id }) => id);
  const resolved = await titlesOf(person, { use_case_id: useCaseId }).catch((error) => String(error.kind));
  return { contexts, categories, resolved };
}

async function titlesOf(person: Person, request: { use_case_id?: string }): Promise<string[]> {
  return (await person.ask(rpcs.resolveContexts, request)).items.map(({ title }) => title);
}

function leftOf(useCaseId: string): Promise<unknown[]> {
  const text =
    "select id from contexts where scope_id = $1 union select id from context_categories where scope_id = $1";
  return platform.db.query("left_in_scope", text, [useCaseId]);
}

type News = "created" | "deleted" | "restored" | "purged";

async function hear(news: News, subject: string, orgId: string, sequence: number): Promise<void> {
  const origin = { actorId: "contexts", requestId: newId("req"), traceparent: newTraceparent() };
  const type = `catalog.use_case.${news}`;
  const actorId = newId("usr");
  const event: DomainEvent = {
    ...origin,
    id: newId("evt"),
    type,
    subject,
    orgId,
    sequence,
    data: {},
    actorId,
    time: new Date(),
  };
  await platform.db.transaction(origin, async (tx: Tx) => eventHandlers[type]?.(event, tx));
}
