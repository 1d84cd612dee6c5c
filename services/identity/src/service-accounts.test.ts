import { newId } from "@assistant/kit/process/id.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { installProgram, newKey, tokenOf } from "./testing/clients.js";
import { hire, openOrg, type Person, present, refusal, rootOf } from "./testing/people.js";
import { openPlatform, type Platform } from "./testing/platform.js";

let platform: Platform;
let admin: Person;
let stranger: Person;
let editor: Person;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await rootOf(platform);
  stranger = await openOrg(platform);
  editor = await hire(platform, admin, "editor");
});

afterAll(() => platform.close());

async function newAccount(name = "Robot"): Promise<string> {
  return present((await admin.ask(rpcs.createServiceAccount, { name })).service_account).id;
}

describe("service accounts", () => {
  test("are made by admins, active members unless said otherwise", async () => {
    const { answer, reply } = await admin.exchange(rpcs.createServiceAccount, { name: "Robot" });
    const id = expect.stringMatching(/^sva_/);
    expect(answer.service_account).toEqual({ id, name: "Robot", role: "ROLE_MEMBER", status: "STATUS_ACTIVE" });
    expect(reply.version).toBe(1);
    expect(await refusal(editor.ask(rpcs.createServiceAccount, { name: "Robot" }))).toMatchObject({ kind: "denied" });
    expect((await refusal(admin.ask(rpcs.createServiceAccount, {}))).at).toEqual(["name: missing"]);
  });

  test("are seen by admins, and by themselves; by nobody else: 404", async () => {
    const program = await installProgram(admin);
    const request = { service_account_id: program.id };
    const robot = platform.bearer((await tokenOf(platform, program)).access_token);
    for (const bearer of [admin, robot]) {
      expect((await bearer.ask(rpcs.getServiceAccount, request)).service_account?.id).toBe(program.id);
    }
    for (const person of [editor, stranger]) {
      expect(await refusal(person.ask(rpcs.getServiceAccount, request))).toMatchObject({ kind: "missing" });
      expect(await refusal(person.ask(rpcs.updateServiceAccount, request))).toMatchObject({ kind: "missing" });
      expect(await refusal(person.ask(rpcs.deleteServiceAccount, request))).toMatchObject({ kind: "missing" });
      expect(await refusal(person.ask(rpcs.listServiceAccountKeys, request))).toMatchObject({ kind: "missing" });
      const creating = person.ask(rpcs.createServiceAccountKey, { ...request, scopes: [] });
      expect(await refusal(creating)).toMatchObject({ kind: "missing" });
    }
    const raising = robot.ask(rpcs.updateServiceAccount, { ...request, role: "ROLE_ADMIN" });
    expect(await refusal(raising)).toMatchObject({ kind: "denied" });
    const multiplying = robot.ask(rpcs.createServiceAccountKey, { ...request, scopes: [] });
    expect(await refusal(multiplying)).toMatchObject({ kind: "denied" });
  });

  test("are listed to admins, newest first: 403 for others", async () => {
    const newest = await newAccount("Newest");
    const first = await admin.ask(rpcs.listServiceAccounts, { page_size: 1 });
    expect(first.items.map((account) => account.id)).toEqual([newest]);
    const rest = await admin.ask(rpcs.listServiceAccounts, { page_token: first.next_page_token });
    expect(rest.items.map((account) => account.id)).not.toContain(newest);
    expect(await refusal(editor.ask(rpcs.listServiceAccounts, {}))).toMatchObject({ kind: "denied" });
    expect((await stranger.ask(rpcs.listServiceAccounts, {})).items).toEqual([]);
  });

  test("change in what is given; over another version: 412", async () => {
    const service_account_id = await newAccount();
    const { answer, reply } = await admin.exchange(rpcs.updateServiceAccount, {
      service_account_id,
      role: "ROLE_ADMIN",
    });
    expect(answer.service_account).toMatchObject({ name: "Robot", role: "ROLE_ADMIN", status: "STATUS_ACTIVE" });
    expect(reply.version).toBe(2);
    const late = admin.ask(rpcs.updateServiceAccount, { service_account_id, name: "Late" }, { ifMatch: ["1"] });
    expect(await refusal(late)).toMatchObject({ kind: "stale" });
  });

  test("once deleted are gone with their keys, and are in no group", async () => {
    const program = await installProgram(admin);
    const { group } = await admin.ask(rpcs.createGroup, { name: "Crew" });
    const group_id = present(group).id;
    await admin.ask(rpcs.createGroupMember, { group_id, principal_id: program.id });
    const request = { service_account_id: program.id };
    expect(await admin.ask(rpcs.deleteServiceAccount, request)).toEqual({ message: "Service account deleted" });
    expect(await refusal(admin.ask(rpcs.getServiceAccount, request))).toMatchObject({ kind: "missing" });
    expect(await refusal(admin.ask(rpcs.listServiceAccountKeys, request))).toMatchObject({ kind: "missing" });
    expect((await admin.ask(rpcs.listGroupMembers, { group_id })).items).toEqual([]);
  });
});

describe("keys", () => {
  test("are shown once, and then only by their last four characters", async () => {
    const service_account_id = await newAccount();
    const creating = admin.exchange(rpcs.createServiceAccountKey, { service_account_id, scopes: ["ROLE_MEMBER"] });
    const { answer, reply } = await creating;
    const key = present(answer.service_account_key);
    expect(reply.version).toBe(1);
    expect(key.key).toMatch(/^asst_sk_key_/);
    expect(key.last4).toBe(key.key.slice(-4));
    const { service_account_key } = await admin.ask(rpcs.getServiceAccountKey, { service_account_id, key_id: key.id });
    const { id, last4, scopes, created_at, expires_at } = key;
    expect(service_account_key).toEqual({ id, last4, scopes, created_at, expires_at, last_used_at: undefined });
    expect((await admin.ask(rpcs.listServiceAccountKeys, { service_account_id })).items).toEqual([service_account_key]);
  });

  test("are nowhere in the database, not even beside an Idempotency-Key or in an event", async () => {
    const service_account_id = await newAccount();
    const request = { service_account_id, scopes: [] };
    const beside = { idempotencyKey: "one key" };
    const first = await admin.exchange(rpcs.createServiceAccountKey, request, beside);
    const again = await admin.exchange(rpcs.createServiceAccountKey, request, beside);
    expect(again.answer).toEqual(first.answer);
    expect((await admin.ask(rpcs.listServiceAccountKeys, { service_account_id })).items).toHaveLength(1);
    const { key } = present(first.answer.service_account_key);
    for (const table of ["service_account_keys", "outbox", "idempotency", "sessions"]) {
      const rows = await platform.db.run<object>((knex) => knex(table).select(knex.raw("row_to_json(??)", [table])));
      expect(JSON.stringify(rows)).not.toContain(key.slice(-50));
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(key).toString("hex"));
    }
  });

  test("last 90 days unless said otherwise, from a minute to 365 days", async () => {
    const service_account_id = await newAccount();
    const lifetimeS = async (expiresInS?: number) => {
      const { created_at, expires_at } = await newKey(
        admin,
        service_account_id,
        expiresInS === undefined ? {} : { expiresInS },
      );
      return (present(expires_at).getTime() - present(created_at).getTime()) / 1_000;
    };
    expect(await lifetimeS()).toBe(90 * 86_400);
    expect(await lifetimeS(60)).toBe(60);
    expect(await lifetimeS(365 * 86_400)).toBe(365 * 86_400);
    for (const expiresInS of [59, 365 * 86_400 + 1]) {
      expect(await refusal(newKey(admin, service_account_id, { expiresInS }))).toMatchObject({ kind: "invalid" });
    }
  });

  test("stop working when their time is over", async () => {
    const program = await installProgram(admin);
    const key = await newKey(admin, program.id, { expiresInS: 60 });
    expect((await tokenOf(platform, { ...program, key })).token_type).toBe("Bearer");
    platform.wait(61_000);
    expect(await refusal(tokenOf(platform, { ...program, key }))).toMatchObject({ kind: "refused" });
  });

  test("are listed newest first over pages without gaps", async () => {
    const service_account_id = await newAccount();
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) made.push((await newKey(admin, service_account_id)).id);
    const seen: string[] = [];
    let page_token: string | undefined;
    do {
      const request = { service_account_id, page_size: 2, page_token };
      const page = await admin.ask(rpcs.listServiceAccountKeys, request);
      seen.push(...page.items.map((key) => key.id));
      page_token = page.next_page_token;
    } while (page_token !== undefined);
    expect(seen).toEqual(made.reverse());
  });

  test("have no scope above the account's role: 422", async () => {
    const service_account_id = await newAccount();
    const raising = newKey(admin, service_account_id, { scopes: ["member", "admin"] });
    expect(await refusal(raising)).toEqual({ kind: "invalid", at: ["scopes.1: value_error"] });
  });

  test("are 20 to an account that work, also when they are made at once", async () => {
    const service_account_id = await newAccount();
    const making = Array.from({ length: 25 }, () => newKey(admin, service_account_id, { expiresInS: 60 }));
    const outcomes = await Promise.allSettled(making);
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(20);
    expect(await refusal(newKey(admin, service_account_id))).toMatchObject({ kind: "conflict" });
    platform.wait(61_000);
    expect((await newKey(admin, service_account_id)).id).toMatch(/^key_/);
  });

  test("are read and revoked by admins alone, and only with their account", async () => {
    const service_account_id = await newAccount();
    const { id: key_id } = await newKey(admin, service_account_id);
    const request = { service_account_id, key_id };
    for (const person of [editor, stranger]) {
      expect(await refusal(person.ask(rpcs.getServiceAccountKey, request))).toMatchObject({ kind: "missing" });
      expect(await refusal(person.ask(rpcs.deleteServiceAccountKey, request))).toMatchObject({ kind: "missing" });
    }
    const mixed = { service_account_id: await newAccount(), key_id };
    expect(await refusal(admin.ask(rpcs.getServiceAccountKey, mixed))).toMatchObject({ kind: "missing" });
    expect(await refusal(admin.ask(rpcs.deleteServiceAccountKey, mixed))).toMatchObject({ kind: "missing" });
    const unknown = { service_account_id, key_id: newId("key") };
    expect(await refusal(admin.ask(rpcs.deleteServiceAccountKey, unknown))).toMatchObject({ kind: "missing" });
    const late = admin.ask(rpcs.deleteServiceAccountKey, request, { ifMatch: ["2"] });
    expect(await refusal(late)).toMatchObject({ kind: "stale" });
    expect(await admin.ask(rpcs.deleteServiceAccountKey, request)).toEqual({ message: "Key revoked" });
    expect(await refusal(admin.ask(rpcs.getServiceAccountKey, request))).toMatchObject({ kind: "missing" });
  });
});
