import type { DomainEvent } from "@assistant/kit/events/event.js";
import { newId } from "@assistant/kit/process/id.js";
import { newTraceparent } from "@assistant/kit/wire/trace.js";
import { KnowledgeServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createAsset, createSource, grant, newGroup, seenBy } from "../testing/knowledge-verbs.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { eventsOf, outcome, refusal } from "../testing/verbs.js";
import { knowledgeEvents } from "./event-handlers.js";

let platform: Platform;
let admin: Person;
let orgId: string;
beforeAll(async () => {
  platform = await openPlatform();
  admin = platform.person({ role: "admin" });
  orgId = admin.caller.orgId;
});
afterAll(() => platform.close());

const MANY = 20;

describe("granting", () => {
  test("lets users, service accounts, groups and the org see, and ends when it is taken away", async () => {
    const groupId = newGroup(platform, orgId);
    const user = platform.person({ orgId });
    const program = platform.person({ orgId, kind: "service_account", principalId: newId("sva") });
    const grouped = platform.person({ orgId, groupIds: new Set([groupId]) });
    const other = platform.person({ orgId });
    const everybody = [user, program, grouped, other];
    const cases: [string, Person[]][] = [
      [user.caller.principalId, [user]],
      [program.caller.principalId, [program]],
      [groupId, [grouped]],
      [orgId, everybody],
    ];
    for (const [principal_id, seers] of cases) {
      const knowledge_source_id = await createSource(admin);
      const { id } = await createAsset(admin, { knowledge_source_ids: [knowledge_source_id] });
      const about = { knowledge_source_id, principal_id };
      const { answer, reply } = await admin.exchange(rpcs.createKnowledgeGrant, about);
      expect(answer).toEqual({ knowledge_grant: { principal_id } });
      const found = await admin.exchange(rpcs.getKnowledgeGrant, about);
      expect([found.answer, found.reply.version]).toEqual([answer, reply.version]);
      for (const person of everybody) expect((await seenBy(person)).includes(id)).toBe(seers.includes(person));
      expect(await admin.ask(rpcs.deleteKnowledgeGrant, about)).toEqual({ message: "Knowledge grant deleted" });
      for (const person of everybody) expect(await seenBy(person)).not.toContain(id);
      expect(await outcome(admin.ask(rpcs.deleteKnowledgeGrant, about))).toBe("missing");
      expect(await outcome(admin.ask(rpcs.getKnowledgeGrant, about))).toBe("missing");
      const events = await eventsOf(platform, `${knowledge_source_id}/${principal_id}`);
      expect(events.map(({ type }) => type)).toEqual([
        "catalog.knowledge_grant.created",
        "catalog.knowledge_grant.deleted",
      ]);
      expect(Number(events[1]?.sequence)).toBeGreaterThan(Number(events[0]?.sequence));
    }
  });

  test("takes only principals of the org", async () => {
    const knowledge_source_id = await createSource(admin);
    const foreigner = platform.person();
    const foreignGroup = newGroup(platform, foreigner.caller.orgId);
    const ids = [newId("usr"), newId("grp"), newId("sva"), newId("org"), newId("uc"), "nobody", "usr_", "usr_x/../y"];
    for (const principal_id of [...ids, foreigner.caller.principalId, foreignGroup, foreigner.caller.orgId]) {
      const refused = admin.ask(rpcs.createKnowledgeGrant, { knowledge_source_id, principal_id });
      expect(await refusal(refused)).toEqual({ kind: "invalid", at: ["principal_id: value_error"] });
    }
    expect(
      await outcome(admin.ask(rpcs.createKnowledgeGrant, { knowledge_source_id: "ks_1", principal_id: orgId })),
    ).toBe("missing");
  });

  test("of many at once one makes the grant, and all others are told that it is there", async () => {
    const knowledge_source_id = await createSource(admin);
    const attempts = Array.from({ length: MANY }, () =>
      outcome(admin.ask(rpcs.createKnowledgeGrant, { knowledge_source_id, principal_id: orgId })),
    );
    const outcomes = await Promise.all(attempts);
    expect(outcomes.filter((word) => word === "done")).toHaveLength(1);
    expect(outcomes.filter((word) => word === "conflict")).toHaveLength(MANY - 1);
    const again = admin.ask(rpcs.createKnowledgeGrant, { knowledge_source_id, principal_id: orgId });
    expect((await refusal(again)).at).toEqual(["principal_id: conflict"]);
  });

  test("taken away at another version, or by many at once, is refused to all but one", async () => {
    const knowledge_source_id = await createSource(admin);
    const about = { knowledge_source_id, principal_id: orgId };
    const { reply } = await admin.exchange(rpcs.createKnowledgeGrant, about);
    const remove = (version = reply.version) =>
      outcome(admin.ask(rpcs.deleteKnowledgeGrant, about, { ifMatch: [String(version)] }));
    expect(await remove(0)).toBe("stale");
    const outcomes = await Promise.all(Array.from({ length: MANY }, () => remove()));
    expect(outcomes.filter((word) => word === "done")).toHaveLength(1);
    expect(outcomes.filter((word) => word === "missing")).toHaveLength(MANY - 1);
  });

  test("lists the newest first, page by page", async () => {
    const knowledge_source_id = await createSource(admin);
    const groups = Array.from({ length: 4 }, () => newGroup(platform, orgId));
    for (const id of groups) await grant(admin, knowledge_source_id, id);
    const seen: string[] = [];
    let page_token: string | undefined;
    do {
      const page = await admin.ask(rpcs.listKnowledgeGrants, { knowledge_source_id, page_size: 2, page_token });
      seen.push(...page.items.map(({ principal_id }) => principal_id));
      page_token = page.next_page_token;
    } while (page_token !== undefined);
    expect(seen).toEqual([...groups.reverse(), admin.caller.principalId]);
  });
});

describe("when a principal leaves", () => {
  const cases: [string, (id: string) => Partial<DomainEvent>, string][] = [
    ["a group", (id) => ({ type: "identity.group.deleted", subject: id }), "grp"],
    ["a service account", (id) => ({ type: "identity.service_account.deleted", subject: id }), "sva"],
    [
      "a member",
      (id) => ({ type: "identity.org_member.deleted", subject: `${orgId}/${id}`, data: { user_id: id } }),
      "usr",
    ],
  ];

  test.each(cases)("%s loses its grants, with an event each, and gets none any more", async (_, about, prefix) => {
    const id = newId(prefix);
    platform.addPrincipal(id, orgId, 7);
    const sources = [await createSource(admin), await createSource(admin)];
    for (const source of sources) await grant(admin, source, id);
    await take({ ...about(id), sequence: 8 });
    for (const knowledge_source_id of sources) {
      const { items } = await admin.ask(rpcs.listKnowledgeGrants, { knowledge_source_id });
      expect(items).toEqual([{ principal_id: admin.caller.principalId }]);
      const events = await eventsOf(platform, `${knowledge_source_id}/${id}`);
      expect(events.at(-1)?.type).toBe("catalog.knowledge_grant.deleted");
    }
    // Identity was asked before the departure, and the answer comes late.
    const late = admin.ask(rpcs.createKnowledgeGrant, { knowledge_source_id: sources[0], principal_id: id });
    expect((await refusal(late)).at).toEqual(["principal_id: value_error"]);
  });

  test("and comes back, it gets grants again, which old news does not take away", async () => {
    const user = platform.person({ orgId });
    const { principalId } = user.caller;
    const source = await createSource(admin);
    const left = { type: "identity.org_member.deleted", data: { user_id: principalId } };
    await take({ ...left, sequence: 5 });
    platform.addPrincipal(principalId, orgId, 6);
    await grant(admin, source, principalId);
    await take({ ...left, sequence: 5 });
    await take({ ...left, sequence: 3 });
    const about = { knowledge_source_id: source, principal_id: principalId };
    expect(await outcome(admin.ask(rpcs.getKnowledgeGrant, about))).toBe("done");
  });

  test("at the very moment of being granted, nothing is left", async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = newGroup(platform, orgId);
      const source = await createSource(admin);
      const [, granted] = await Promise.all([
        take({ type: "identity.group.deleted", subject: id, sequence: 2 }),
        outcome(admin.ask(rpcs.createKnowledgeGrant, { knowledge_source_id: source, principal_id: id })),
      ]);
      expect(["done", "invalid"]).toContain(granted);
      const text = "select from knowledge_grants where principal_id = $1";
      expect(await platform.db.query("left_grants", text, [id])).toEqual([]);
    }
  });

  test("of another org with the same id, nothing changes here", async () => {
    const user = platform.person({ orgId });
    const source = await createSource(admin);
    await grant(admin, source, user.caller.principalId);
    const data = { user_id: user.caller.principalId };
    await take({ type: "identity.org_member.deleted", orgId: newId("org"), data, sequence: 9 });
    const about = { knowledge_source_id: source, principal_id: user.caller.principalId };
    expect(await outcome(admin.ask(rpcs.getKnowledgeGrant, about))).toBe("done");
  });

  test("news that names nobody fails, to be looked at", async () => {
    await expect(take({ type: "identity.org_member.deleted", data: {} })).rejects.toThrow("has no user_id");
  });
});

function take(about: Partial<DomainEvent>): Promise<void> {
  const origin = { actorId: "catalog", requestId: newId("req"), traceparent: newTraceparent() };
  const event: DomainEvent = {
    ...origin,
    id: newId("evt"),
    type: "",
    subject: "",
    orgId,
    sequence: 2,
    data: {},
    time: new Date(),
    ...about,
  };
  const handler = knowledgeEvents[event.type];
  if (handler === undefined) throw new Error(`nobody takes ${event.type}`);
  return platform.db.transaction(origin, (tx) => handler(event, tx));
}
