import { newId } from "@assistant/kit/process/id.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { claimsOf, hire, openOrg, type Person, personOf, present, refusal, rootOf, signIn } from "./testing/people.js";
import { openPlatform, type Platform } from "./testing/platform.js";

let platform: Platform;
let admin: Person;
let stranger: Person;
let member: Person;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await rootOf(platform);
  stranger = await openOrg(platform);
  member = await hire(platform, admin);
});

afterAll(() => platform.close());

async function newGroup(name = "Crew"): Promise<string> {
  return present((await admin.ask(rpcs.createGroup, { name })).group).id;
}

/** Adds somebody, whose tokens from before do not hold any more; answers them with a new one. */
async function join(group_id: string, { id, email }: Person, manager = false): Promise<Person> {
  await admin.ask(rpcs.createGroupMember, { group_id, principal_id: id, manager });
  return personOf(platform, email);
}

describe("groups", () => {
  test("are created by admins", async () => {
    const { answer, reply } = await admin.exchange(rpcs.createGroup, { name: "Crew" });
    expect(answer.group).toEqual({ id: expect.stringMatching(/^grp_/), name: "Crew" });
    expect(reply.version).toBe(1);
    expect(await refusal(member.ask(rpcs.createGroup, { name: "Crew" }))).toMatchObject({ kind: "denied" });
    expect(await refusal(admin.ask(rpcs.createGroup, {}))).toEqual({ kind: "invalid", at: ["name: missing"] });
    const tooLong = admin.ask(rpcs.createGroup, { name: "n".repeat(201) });
    expect((await refusal(tooLong)).at).toEqual(["name: string_too_long"]);
  });

  test("are seen by admins and by those who are in them; by nobody else: 404", async () => {
    const group_id = await newGroup();
    const colleague = await hire(platform, admin);
    member = await join(group_id, member);
    for (const person of [admin, member]) {
      expect((await person.ask(rpcs.getGroup, { group_id })).group?.id).toBe(group_id);
    }
    for (const person of [colleague, stranger]) {
      expect(await refusal(person.ask(rpcs.getGroup, { group_id }))).toMatchObject({ kind: "missing" });
      expect(await refusal(person.ask(rpcs.listGroupMembers, { group_id }))).toMatchObject({ kind: "missing" });
      const deleting = person.ask(rpcs.deleteGroup, { group_id });
      expect(await refusal(deleting)).toMatchObject({ kind: "missing" });
    }
    expect(await refusal(admin.ask(rpcs.getGroup, { group_id: newId("grp") }))).toMatchObject({ kind: "missing" });
  });

  test("are listed newest first: all for admins, their own for members", async () => {
    const mine = [await newGroup("1"), await newGroup("2"), await newGroup("3")];
    let person = await hire(platform, admin);
    for (const id of mine) person = await join(id, person);
    const first = await person.ask(rpcs.listGroups, { page_size: 2 });
    const second = await person.ask(rpcs.listGroups, { page_size: 2, page_token: first.next_page_token });
    expect([...first.items, ...second.items].map((group) => group.name)).toEqual(["3", "2", "1"]);
    expect(second.next_page_token).toBeUndefined();
    const all = await admin.ask(rpcs.listGroups, { page_size: 200 });
    expect(all.items.length).toBeGreaterThan(3);
    expect((await stranger.ask(rpcs.listGroups, {})).items).toEqual([]);
  });

  test("are renamed by admins, not by their members: 403, nor over another version: 412", async () => {
    const group_id = await newGroup();
    member = await join(group_id, member, true);
    const { answer, reply } = await admin.exchange(rpcs.updateGroup, { group_id, name: "Renamed" });
    expect([answer.group?.name, reply.version]).toEqual(["Renamed", 2]);
    expect(await refusal(member.ask(rpcs.updateGroup, { group_id, name: "Ours" }))).toMatchObject({ kind: "denied" });
    const late = admin.ask(rpcs.updateGroup, { group_id, name: "Late" }, { ifMatch: ["1"] });
    expect(await refusal(late)).toMatchObject({ kind: "stale" });
  });

  test("once deleted are gone, tell so by an event, and are in no new token of their members", async () => {
    const group_id = await newGroup("Short-lived");
    const person = await join(group_id, await hire(platform, admin));
    const before = claimsOf(await signIn(platform, person.email));
    expect(before["grp"]).toEqual([group_id]);
    expect(await refusal(person.ask(rpcs.deleteGroup, { group_id }))).toMatchObject({ kind: "denied" });
    expect(await admin.ask(rpcs.deleteGroup, { group_id })).toEqual({ message: "Group deleted" });
    expect(await refusal(admin.ask(rpcs.getGroup, { group_id }))).toMatchObject({ kind: "missing" });
    const after = claimsOf(await signIn(platform, person.email));
    expect(after).toMatchObject({ grp: [], ep: Number(before["ep"]) + 1 });
    const events = await platform.db.query(
      "test_group_events",
      "select type, org_id, sequence, actor_id, data from outbox where subject = $1 order by pos",
      [group_id],
    );
    expect(events.at(-1)).toEqual({
      type: "identity.group.deleted",
      org_id: admin.orgId,
      sequence: 2,
      actor_id: admin.id,
      data: { id: group_id, name: "Short-lived" },
    });
  });
});

describe("group members", () => {
  test("are users and service accounts of the org, managers or not", async () => {
    const group_id = await newGroup();
    const { service_account } = await admin.ask(rpcs.createServiceAccount, { name: "Robot" });
    const robot = present(service_account).id;
    member = await join(group_id, member, true);
    const { answer } = await admin.exchange(rpcs.createGroupMember, { group_id, principal_id: robot });
    expect(answer.group_member).toEqual({ principal_id: robot, manager: false });
    const { items } = await member.ask(rpcs.listGroupMembers, { group_id });
    expect(items).toEqual([
      { principal_id: robot, manager: false },
      { principal_id: member.id, manager: true },
    ]);
    const { group_member } = await member.ask(rpcs.getGroupMember, { group_id, principal_id: member.id });
    expect(group_member?.manager).toBe(true);
    expect(claimsOf(await signIn(platform, member.email))).toMatchObject({
      grp: expect.arrayContaining([group_id]),
      gmgr: expect.arrayContaining([group_id]),
    });
  });

  test("are nobody of another org: 422, as for an id that nobody has", async () => {
    const group_id = await newGroup();
    for (const principal_id of [stranger.id, newId("usr"), newId("sva"), group_id]) {
      const adding = admin.ask(rpcs.createGroupMember, { group_id, principal_id });
      expect(await refusal(adding)).toEqual({ kind: "invalid", at: ["principal_id: value_error"] });
    }
    expect((await refusal(admin.ask(rpcs.createGroupMember, { group_id }))).at).toEqual(["principal_id: missing"]);
  });

  test("are not added twice: 409", async () => {
    const group_id = await newGroup();
    member = await join(group_id, member);
    const again = admin.ask(rpcs.createGroupMember, { group_id, principal_id: member.id, manager: true });
    expect(await refusal(again)).toEqual({ kind: "conflict", at: ["principal_id: conflict"] });
  });

  test("are added and removed by admins alone, not by managers", async () => {
    const group_id = await newGroup();
    member = await join(group_id, member, true);
    const adding = member.ask(rpcs.createGroupMember, { group_id, principal_id: admin.id });
    expect(await refusal(adding)).toMatchObject({ kind: "denied" });
    const leaving = member.ask(rpcs.deleteGroupMember, { group_id, principal_id: member.id });
    expect(await refusal(leaving)).toMatchObject({ kind: "denied" });
  });

  test("once removed see the group no more, and their epoch has risen", async () => {
    const group_id = await newGroup();
    let person = await join(group_id, await hire(platform, admin));
    const { ep } = claimsOf(await signIn(platform, person.email));
    const request = { group_id, principal_id: person.id };
    expect(await refusal(admin.ask(rpcs.deleteGroupMember, request, { ifMatch: ["0"] }))).toMatchObject({
      kind: "stale",
    });
    expect(await admin.ask(rpcs.deleteGroupMember, request)).toEqual({ message: "Member removed" });
    person = await personOf(platform, person.email);
    expect(await refusal(person.ask(rpcs.getGroup, { group_id }))).toMatchObject({ kind: "missing" });
    expect(await refusal(admin.ask(rpcs.deleteGroupMember, request))).toMatchObject({ kind: "missing" });
    expect(claimsOf(await signIn(platform, person.email))["ep"]).toBe(Number(ep) + 1);
  });

  test("are listed over pages without gaps, newest first", async () => {
    const group_id = await newGroup();
    const people = await Promise.all([1, 2, 3, 4, 5].map(() => hire(platform, admin)));
    for (const person of people) await join(group_id, person);
    const seen: string[] = [];
    let page_token: string | undefined;
    do {
      const page = await admin.ask(rpcs.listGroupMembers, { group_id, page_size: 2, page_token });
      seen.push(...page.items.map((item) => item.principal_id));
      page_token = page.next_page_token;
    } while (page_token !== undefined);
    expect(seen).toEqual(people.map((person) => person.id).reverse());
  });

  test("who leave the org while they are added to a group are not left behind in it", async () => {
    const group_id = await newGroup();
    const people = await Promise.all(Array.from({ length: 10 }, () => hire(platform, admin)));
    await Promise.allSettled(
      people.flatMap(({ id }) => [
        admin.ask(rpcs.createGroupMember, { group_id, principal_id: id }),
        admin.ask(rpcs.deleteOrgMember, { org_id: admin.orgId, user_id: id }),
      ]),
    );
    expect((await admin.ask(rpcs.listGroupMembers, { group_id })).items).toEqual([]);
  });
});
