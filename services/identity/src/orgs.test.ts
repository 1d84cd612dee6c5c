import { newId } from "@assistant/kit/process/id.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { hire, openOrg, type Person, present, refusal, rootOf } from "./testing/people.js";
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

describe("creating an org", () => {
  test("answers the org, English unless said otherwise, at version 1", async () => {
    const { answer, reply } = await root.exchange(rpcs.createOrg, { name: "New" });
    expect(answer.org).toEqual({ id: expect.stringMatching(/^org_/), name: "New", default_language: "LOCALE_EN" });
    expect(reply.version).toBe(1);
  });

  test("is for platform admins: 403 for the admin of an org", async () => {
    expect(await refusal(admin.ask(rpcs.createOrg, { name: "Mine" }))).toMatchObject({ kind: "denied" });
  });

  test("without a token is 401", async () => {
    const nobody = platform.bearer("");
    expect(await refusal(nobody.ask(rpcs.createOrg, { name: "Mine" }))).toMatchObject({ kind: "unauthenticated" });
  });

  test("without a name is 422", async () => {
    expect(await refusal(root.ask(rpcs.createOrg, {}))).toEqual({ kind: "invalid", at: ["name: missing"] });
  });

  test("takes names of 1 to 200 characters", async () => {
    for (const name of ["n", "n".repeat(200)]) {
      expect((await root.ask(rpcs.createOrg, { name })).org?.name).toBe(name);
    }
    expect((await refusal(root.ask(rpcs.createOrg, { name: "" }))).at).toEqual(["name: string_too_short"]);
    const tooLong = root.ask(rpcs.createOrg, { name: "n".repeat(201) });
    expect((await refusal(tooLong)).at).toEqual(["name: string_too_long"]);
  });

  test("twice with one Idempotency-Key makes one org", async () => {
    const beside = { idempotencyKey: "once" };
    const first = await root.exchange(rpcs.createOrg, { name: "Once" }, beside);
    const again = await root.exchange(rpcs.createOrg, { name: "Once" }, beside);
    expect(again.answer).toEqual(first.answer);
    expect(again.reply).toEqual({ version: 1, replayed: true });
  });
});

describe("reading an org", () => {
  test("is for its members and for platform admins", async () => {
    for (const person of [admin, member, root]) {
      expect((await person.ask(rpcs.getOrg, { org_id: admin.orgId })).org?.id).toBe(admin.orgId);
    }
  });

  test("of another is 404, as is one that nobody made", async () => {
    for (const org_id of [root.orgId, newId("org"), "no id at all"]) {
      expect(await refusal(admin.ask(rpcs.getOrg, { org_id }))).toMatchObject({ kind: "missing" });
    }
    expect(await refusal(root.ask(rpcs.getOrg, { org_id: newId("org") }))).toMatchObject({ kind: "missing" });
  });
});

describe("listing orgs", () => {
  test("shows a member the own org alone", async () => {
    const { items, next_page_token } = await member.ask(rpcs.listOrgs, {});
    expect(items.map((org) => org.id)).toEqual([admin.orgId]);
    expect(next_page_token).toBeUndefined();
  });

  test("shows a platform admin all of them, page by page, newest first", async () => {
    const ids: string[] = [];
    let page_token: string | undefined;
    do {
      const page = await root.ask(rpcs.listOrgs, { page_size: 2, page_token });
      expect(page.items.length).toBeLessThanOrEqual(2);
      ids.push(...page.items.map((org) => org.id));
      page_token = page.next_page_token;
    } while (page_token !== undefined);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    expect(ids).toContain(admin.orgId);
    expect(ids.at(-1)).toBe(root.orgId);
  });

  test("refuses a page token of somebody else", async () => {
    const { next_page_token } = await root.ask(rpcs.listOrgs, { page_size: 1 });
    const stolen = member.ask(rpcs.listOrgs, { page_token: present(next_page_token) });
    expect(await refusal(stolen)).toEqual({ kind: "invalid", at: ["page_token: page_token_invalid"] });
  });

  test("takes page sizes from 1 to 200", async () => {
    for (const page_size of [0, 201]) {
      expect(await refusal(root.ask(rpcs.listOrgs, { page_size }))).toMatchObject({ kind: "invalid" });
    }
    expect((await root.ask(rpcs.listOrgs, { page_size: 200 })).items.length).toBeGreaterThan(1);
  });
});

describe("changing an org", () => {
  test("changes what is given and counts the version up", async () => {
    const before = await admin.exchange(rpcs.getOrg, { org_id: admin.orgId });
    const request = { org_id: admin.orgId, default_language: "LOCALE_SV" } as const;
    const { answer, reply } = await admin.exchange(rpcs.updateOrg, request);
    expect(answer.org).toEqual({ ...before.answer.org, default_language: "LOCALE_SV" });
    expect(reply.version).toBe((before.reply.version ?? 0) + 1);
  });

  test("to what it is already changes nothing", async () => {
    const { answer, reply } = await admin.exchange(rpcs.getOrg, { org_id: admin.orgId });
    const same = await admin.exchange(rpcs.updateOrg, { org_id: admin.orgId, name: present(answer.org).name });
    expect(same.reply.version).toBe(reply.version);
  });

  test("is for its admins: 403 for members, 404 for others", async () => {
    const toMember = member.ask(rpcs.updateOrg, { org_id: admin.orgId, name: "Ours" });
    expect(await refusal(toMember)).toMatchObject({ kind: "denied" });
    const toOther = admin.ask(rpcs.updateOrg, { org_id: root.orgId, name: "Ours" });
    expect(await refusal(toOther)).toMatchObject({ kind: "missing" });
  });

  test("of another version is 412", async () => {
    const request = { org_id: admin.orgId, name: "Later" };
    expect(await refusal(admin.ask(rpcs.updateOrg, request, { ifMatch: ["999"] }))).toMatchObject({ kind: "stale" });
  });
});
