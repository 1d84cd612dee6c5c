import { newId } from "@assistant/kit/process/id.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { claimsOf, hire, openOrg, type Person, personOf, present, refusal, rootOf, signIn } from "./testing/people.js";
import { openPlatform, type Platform } from "./testing/platform.js";

let platform: Platform;
let root: Person;
let admin: Person;
let member: Person;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  admin = await openOrg(platform);
  member = await hire(platform, admin);
});

afterAll(() => platform.close());

function memberOf(person: Person) {
  return { org_id: person.orgId, user_id: person.id };
}

describe("creating a membership", () => {
  test("lets a platform admin bring any user into any org", async () => {
    const guest = await hire(platform, root);
    const request = { org_id: admin.orgId, user_id: guest.id, role: "ROLE_EDITOR" } as const;
    const { answer } = await root.exchange(rpcs.createOrgMember, request);
    expect(answer.org_member).toEqual({ user_id: guest.id, role: "ROLE_EDITOR" });
    expect((await admin.ask(rpcs.getUser, { user_id: guest.id })).user?.id).toBe(guest.id);
  });

  test("lets an admin bring back a user of the org", async () => {
    const user = await hire(platform, admin);
    await admin.ask(rpcs.deleteOrgMember, memberOf(user));
    const { org_member } = await admin.ask(rpcs.createOrgMember, { ...memberOf(user), role: "ROLE_EDITOR" });
    expect(org_member?.role).toBe("ROLE_EDITOR");
    expect(claimsOf(await signIn(platform, user.email))).toMatchObject({ role: "editor", org: admin.orgId });
  });

  test("does not let an admin reach for a user of another org: 422, as for one that nobody made", async () => {
    for (const user_id of [root.id, newId("usr")]) {
      const reaching = admin.ask(rpcs.createOrgMember, { org_id: admin.orgId, user_id, role: "ROLE_MEMBER" });
      expect(await refusal(reaching)).toEqual({ kind: "invalid", at: ["user_id: value_error"] });
    }
  });

  test("of a member is 409", async () => {
    const again = admin.ask(rpcs.createOrgMember, { ...memberOf(member), role: "ROLE_ADMIN" });
    expect(await refusal(again)).toEqual({ kind: "conflict", at: ["user_id: conflict"] });
  });

  test("of somebody whose address a member has is 409", async () => {
    await root.ask(rpcs.createUser, { email: member.email, name: "Twin" });
    const { items } = await root.ask(rpcs.listUsers, { page_size: 1 });
    const twin = present(items[0]);
    const joining = root.ask(rpcs.createOrgMember, { org_id: admin.orgId, user_id: twin.id, role: "ROLE_MEMBER" });
    expect(await refusal(joining)).toEqual({ kind: "conflict", at: ["user_id: conflict"] });
  });

  test("is 403 for members, 404 for other orgs, 422 without user and role", async () => {
    const role = "ROLE_MEMBER";
    const byMember = member.ask(rpcs.createOrgMember, { org_id: admin.orgId, user_id: root.id, role });
    expect(await refusal(byMember)).toMatchObject({ kind: "denied" });
    const elsewhere = admin.ask(rpcs.createOrgMember, { org_id: root.orgId, user_id: admin.id, role });
    expect(await refusal(elsewhere)).toMatchObject({ kind: "missing" });
    const { at } = await refusal(admin.ask(rpcs.createOrgMember, { org_id: admin.orgId }));
    expect(at).toEqual(["user_id: missing", "role: missing"]);
  });
});

describe("reading memberships", () => {
  test("is for admins, for platform admins, and one's own for everybody", async () => {
    for (const person of [admin, root, member]) {
      const { org_member } = await person.ask(rpcs.getOrgMember, memberOf(member));
      expect(org_member).toEqual({ user_id: member.id, role: "ROLE_MEMBER" });
    }
    expect(await refusal(member.ask(rpcs.getOrgMember, memberOf(admin)))).toMatchObject({ kind: "missing" });
    expect(await refusal(admin.ask(rpcs.getOrgMember, memberOf(root)))).toMatchObject({ kind: "missing" });
  });

  test("lists them newest first over pages without gaps", async () => {
    const seen: string[] = [];
    let page_token: string | undefined;
    do {
      const page = await admin.ask(rpcs.listOrgMembers, { org_id: admin.orgId, page_size: 1, page_token });
      seen.push(...page.items.map((item) => item.user_id));
      page_token = page.next_page_token;
    } while (page_token !== undefined);
    const all = await root.ask(rpcs.listOrgMembers, { org_id: admin.orgId });
    expect(seen).toEqual(all.items.map((item) => item.user_id));
    expect(seen.indexOf(member.id)).toBeLessThan(seen.indexOf(admin.id));
  });

  test("is 403 for members, 404 for other orgs and for orgs that nobody made", async () => {
    expect(await refusal(member.ask(rpcs.listOrgMembers, { org_id: admin.orgId }))).toMatchObject({ kind: "denied" });
    expect(await refusal(admin.ask(rpcs.listOrgMembers, { org_id: root.orgId }))).toMatchObject({ kind: "missing" });
    expect(await refusal(root.ask(rpcs.listOrgMembers, { org_id: newId("org") }))).toMatchObject({ kind: "missing" });
  });
});

describe("changing a membership", () => {
  test("changes the role and raises the epoch of the next token", async () => {
    const user = await hire(platform, admin);
    const { answer } = await admin.exchange(rpcs.updateOrgMember, { ...memberOf(user), role: "ROLE_EDITOR" });
    expect(answer.org_member).toEqual({ user_id: user.id, role: "ROLE_EDITOR" });
    const before = Number(claimsOf(user.token)["ep"]);
    expect(claimsOf(await signIn(platform, user.email))).toMatchObject({ role: "editor", ep: before + 1 });
  });

  test("without a role changes nothing", async () => {
    const before = await admin.exchange(rpcs.getOrgMember, memberOf(member));
    const after = await admin.exchange(rpcs.updateOrgMember, memberOf(member));
    expect(after).toEqual(before);
  });

  test("is 403 for the member, 404 for other members", async () => {
    const request = { ...memberOf(member), role: "ROLE_ADMIN" } as const;
    expect(await refusal(member.ask(rpcs.updateOrgMember, request))).toMatchObject({ kind: "denied" });
    const other = await hire(platform, admin, "editor");
    expect(await refusal(other.ask(rpcs.updateOrgMember, request))).toMatchObject({ kind: "missing" });
  });

  test("of another version is 412", async () => {
    const request = { ...memberOf(member), role: "ROLE_EDITOR" } as const;
    const late = admin.ask(rpcs.updateOrgMember, request, { ifMatch: ["1000000"] });
    expect(await refusal(late)).toMatchObject({ kind: "stale" });
  });

  test("of a platform admin is 403 for an org's admin", async () => {
    const other = await hire(platform, root, "admin");
    const request = { ...memberOf(root), role: "ROLE_MEMBER" } as const;
    expect(await refusal(other.ask(rpcs.updateOrgMember, request))).toMatchObject({ kind: "denied" });
    expect(await refusal(other.ask(rpcs.deleteOrgMember, memberOf(root)))).toMatchObject({ kind: "denied" });
  });
});

describe("ending a membership", () => {
  test("ends those in the org's groups too, and the user gets no more tokens", async () => {
    const user = await hire(platform, admin);
    const group_id = present((await admin.ask(rpcs.createGroup, { name: "Crew" })).group).id;
    await admin.ask(rpcs.createGroupMember, { group_id, principal_id: user.id });
    const { message } = await admin.ask(rpcs.deleteOrgMember, memberOf(user));
    expect(message).toBe("Member removed");
    expect((await admin.ask(rpcs.listGroupMembers, { group_id })).items).toEqual([]);
    expect(await refusal(signIn(platform, user.email))).toMatchObject({ kind: "refused" });
    expect(await refusal(admin.ask(rpcs.deleteOrgMember, memberOf(user)))).toMatchObject({ kind: "missing" });
  });

  test("makes the version of a new one greater than that of the old", async () => {
    const user = await hire(platform, admin);
    const old = await admin.exchange(rpcs.getOrgMember, memberOf(user));
    await admin.ask(rpcs.deleteOrgMember, memberOf(user));
    const fresh = await admin.exchange(rpcs.createOrgMember, { ...memberOf(user), role: "ROLE_MEMBER" });
    expect(fresh.reply.version).toBeGreaterThan(present(old.reply.version) + 1);
  });

  test("is 403 for the member, 404 for other orgs", async () => {
    expect(await refusal(member.ask(rpcs.deleteOrgMember, memberOf(member)))).toMatchObject({ kind: "denied" });
    expect(await refusal(admin.ask(rpcs.deleteOrgMember, memberOf(root)))).toMatchObject({ kind: "missing" });
  });
});

describe("an org keeps an admin", () => {
  test("the last one is neither demoted nor removed: 409", async () => {
    const founder = await openOrgAlone();
    const demoting = founder.ask(rpcs.updateOrgMember, { ...memberOf(founder), role: "ROLE_EDITOR" });
    expect(await refusal(demoting)).toEqual({ kind: "conflict", at: ["role: conflict"] });
    const removing = founder.ask(rpcs.deleteOrgMember, memberOf(founder));
    expect(await refusal(removing)).toEqual({ kind: "conflict", at: [": conflict"] });
  });

  test("whatever its admins do to each other at once", async () => {
    const demote = (by: Person, victim: Person) =>
      by.ask(rpcs.updateOrgMember, { ...memberOf(victim), role: "ROLE_MEMBER" });
    const remove = (by: Person, victim: Person) => by.ask(rpcs.deleteOrgMember, memberOf(victim));
    const disable = (by: Person, victim: Person) =>
      by.ask(rpcs.updateUser, { user_id: victim.id, status: "STATUS_DISABLED" });
    const pairs = [demote, remove, disable].flatMap((one) => [demote, remove, disable].map((other) => [one, other]));
    for (const [one = demote, other = demote] of pairs) {
      const first = await openOrgAlone();
      const second = await hire(platform, first, "admin");
      const outcomes = await Promise.allSettled([one(first, second), other(second, first)]);
      expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await activeAdmins(first.orgId)).toBe(1);
    }
  });

  test("a disabled admin does not count", async () => {
    const one = await openOrgAlone();
    const other = await hire(platform, one, "admin");
    await one.ask(rpcs.updateUser, { user_id: other.id, status: "STATUS_DISABLED" });
    expect(await refusal(one.ask(rpcs.deleteOrgMember, memberOf(one)))).toMatchObject({ kind: "conflict" });
  });

  test("and the platform its last platform admin a place to sign in", async () => {
    await hire(platform, root, "admin");
    expect(await refusal(root.ask(rpcs.deleteOrgMember, memberOf(root)))).toMatchObject({ kind: "conflict" });
    expect((await personOf(platform, root.email)).orgId).toBe(root.orgId);
  });
});

/** A new org whose only member is its admin. */
async function openOrgAlone(): Promise<Person> {
  const alone = await openOrg(platform);
  const { items } = await alone.ask(rpcs.listOrgMembers, { org_id: alone.orgId });
  for (const { user_id } of items.filter((item) => item.user_id !== alone.id)) {
    await alone.ask(rpcs.deleteOrgMember, { org_id: alone.orgId, user_id });
  }
  return alone;
}

async function activeAdmins(orgId: string): Promise<number> {
  const rows = await platform.db.query(
    "test_active_admins",
    `select from memberships join users on users.id = user_id
     where memberships.org_id = $1 and role = 'admin' and status = 'active'`,
    [orgId],
  );
  return rows.length;
}
