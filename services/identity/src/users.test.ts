import { newId } from "@assistant/kit/process/id.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { claimsOf, hire, newEmail, openOrg, type Person, present, refusal, rootOf, signIn } from "./testing/people.js";
import { openPlatform, type Platform } from "./testing/platform.js";

let platform: Platform;
let root: Person;
let admin: Person;
let editor: Person;
let member: Person;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  admin = await openOrg(platform);
  editor = await hire(platform, admin, "editor");
  member = await hire(platform, admin);
});

afterAll(() => platform.close());

describe("creating a user", () => {
  test("makes an active member of the admin's org", async () => {
    const email = newEmail();
    const { answer, reply } = await admin.exchange(rpcs.createUser, { email, name: "Ada" });
    const user = present(answer.user);
    expect(user).toEqual({
      id: expect.stringMatching(/^usr_/),
      email,
      name: "Ada",
      status: "STATUS_ACTIVE",
      platform_admin: false,
    });
    expect(reply.version).toBe(1);
    const { org_member } = await admin.ask(rpcs.getOrgMember, { org_id: admin.orgId, user_id: user.id });
    expect(org_member?.role).toBe("ROLE_MEMBER");
  });

  test("gives the role that is asked for", async () => {
    expect(claimsOf(editor.token)).toMatchObject({ role: "editor", org: admin.orgId });
  });

  test("is for admins: 403 for editors and members", async () => {
    for (const person of [editor, member]) {
      const request = { email: newEmail(), name: "Ada" };
      expect(await refusal(person.ask(rpcs.createUser, request))).toMatchObject({ kind: "denied" });
    }
  });

  test("with an address that the org has, in whatever case, is 409", async () => {
    const request = { email: member.email.toUpperCase(), name: "Twin" };
    expect(await refusal(admin.ask(rpcs.createUser, request))).toEqual({ kind: "conflict", at: ["email: conflict"] });
  });

  test("with an address that another org has is fine", async () => {
    const { user } = await root.ask(rpcs.createUser, { email: member.email, name: "Twin" });
    expect(user?.email).toBe(member.email);
  });

  test("twenty times at once with one address makes one user", async () => {
    const request = { email: newEmail(), name: "Ada" };
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => admin.ask(rpcs.createUser, request)));
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
  });

  test("needs an address with an at sign, of 3 to 254 characters", async () => {
    const localOf = (length: number) => `${"a".repeat(length - 2)}@b`;
    for (const email of ["no-address", "a b@c", "@b.c", "a@", "ab", localOf(255)]) {
      const { kind, at } = await refusal(admin.ask(rpcs.createUser, { email, name: "Ada" }));
      expect([kind, at]).toEqual(["invalid", [expect.stringMatching(/^email: string_/)]]);
    }
    for (const email of ["a@b", localOf(254)]) {
      expect((await admin.ask(rpcs.createUser, { email, name: "Ada" })).user?.email).toBe(email);
    }
  });

  test("reports everything that is missing at once", async () => {
    const { at } = await refusal(admin.ask(rpcs.createUser, {}));
    expect(at).toEqual(["email: missing", "name: missing"]);
  });
});

describe("reading a user", () => {
  test("is for admins of the org and for the user", async () => {
    for (const person of [admin, member]) {
      expect((await person.ask(rpcs.getUser, { user_id: member.id })).user?.email).toBe(member.email);
    }
  });

  test("is 404 for everybody else", async () => {
    for (const person of [editor, root]) {
      expect(await refusal(person.ask(rpcs.getUser, { user_id: member.id }))).toMatchObject({ kind: "missing" });
    }
    expect(await refusal(admin.ask(rpcs.getUser, { user_id: newId("usr") }))).toMatchObject({ kind: "missing" });
  });
});

describe("listing users", () => {
  test("shows admins the users of their org, newest first, over pages without gaps", async () => {
    const seen: string[] = [];
    let page_token: string | undefined;
    do {
      const page = await admin.ask(rpcs.listUsers, { page_size: 2, page_token });
      seen.push(...page.items.map((user) => user.id));
      page_token = page.next_page_token;
    } while (page_token !== undefined);
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
    expect(seen).toEqual(expect.arrayContaining([admin.id, editor.id, member.id]));
    expect(seen).not.toContain(root.id);
    const all = await admin.ask(rpcs.listUsers, { page_size: 200 });
    expect(all.items.map((user) => user.id)).toEqual(seen);
  });

  test("is 403 for editors and members", async () => {
    for (const person of [editor, member]) {
      expect(await refusal(person.ask(rpcs.listUsers, {}))).toMatchObject({ kind: "denied" });
    }
  });
});

describe("changing a user", () => {
  test("changes the name and counts the version up", async () => {
    const user = await hire(platform, admin);
    const { answer, reply } = await admin.exchange(rpcs.updateUser, { user_id: user.id, name: "Renamed" });
    expect(answer.user).toMatchObject({ name: "Renamed", status: "STATUS_ACTIVE" });
    expect(reply.version).toBe(2);
  });

  test("to disabled stops new tokens and raises the epoch, back to active lets them be again", async () => {
    const user = await hire(platform, admin);
    await admin.ask(rpcs.updateUser, { user_id: user.id, status: "STATUS_DISABLED" });
    expect(await refusal(signIn(platform, user.email))).toEqual({ kind: "refused", at: [": invalid_grant"] });
    await admin.ask(rpcs.updateUser, { user_id: user.id, status: "STATUS_ACTIVE" });
    const { ep } = claimsOf(await signIn(platform, user.email));
    expect(ep).toBe(Number(claimsOf(user.token)["ep"]) + 2);
  });

  test("is for admins: 403 for the user, 404 for others", async () => {
    const request = { user_id: member.id, name: "Me" };
    expect(await refusal(member.ask(rpcs.updateUser, request))).toMatchObject({ kind: "denied" });
    expect(await refusal(editor.ask(rpcs.updateUser, request))).toMatchObject({ kind: "missing" });
    expect(await refusal(root.ask(rpcs.updateUser, request))).toMatchObject({ kind: "missing" });
  });

  test("to disabled is 409 for an org's last admin", async () => {
    const request = { user_id: root.id, status: "STATUS_DISABLED" } as const;
    const lastOfFirst = await refusal(root.ask(rpcs.updateUser, request));
    expect(lastOfFirst).toEqual({ kind: "conflict", at: ["status: conflict"] });
  });

  test("to disabled is 409 for the last platform admin, though the org has other admins", async () => {
    await hire(platform, root, "admin");
    const request = { user_id: root.id, status: "STATUS_DISABLED" } as const;
    expect(await refusal(root.ask(rpcs.updateUser, request))).toMatchObject({ kind: "conflict" });
  });

  test("is 403 for an org's admin where the user is a platform admin", async () => {
    const other = await hire(platform, root, "admin");
    const request = { user_id: root.id, name: "Overthrown" };
    expect(await refusal(other.ask(rpcs.updateUser, request))).toMatchObject({ kind: "denied" });
  });

  test("is 403 for the admin of an org that the user is only a guest in", async () => {
    const guest = await hire(platform, root);
    await root.ask(rpcs.createOrgMember, { org_id: admin.orgId, user_id: guest.id, role: "ROLE_MEMBER" });
    const request = { user_id: guest.id, status: "STATUS_DISABLED" } as const;
    expect(await refusal(admin.ask(rpcs.updateUser, request))).toMatchObject({ kind: "denied" });
  });

  test("of another version is 412, and changes nothing", async () => {
    const request = { user_id: member.id, name: "Late" };
    expect(await refusal(admin.ask(rpcs.updateUser, request, { ifMatch: ["7"] }))).toMatchObject({ kind: "stale" });
    expect((await admin.ask(rpcs.getUser, { user_id: member.id })).user?.name).toBe("Somebody");
  });
});
