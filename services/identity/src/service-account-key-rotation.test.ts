import { newId } from "@assistant/kit/process/id.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { SessionsServiceService as sessions } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { installProgram, newKey, type Program, tokenOf } from "./testing/clients.js";
import { claimsOf, hire, openOrg, type Person, present, refusal, rootOf } from "./testing/people.js";
import { type Beside, openPlatform, type Platform } from "./testing/platform.js";

let platform: Platform;
let root: Person;
let program: Program;

beforeAll(async () => {
  platform = await openPlatform();
});

beforeEach(async () => {
  root = await rootOf(platform);
  program = await installProgram(root, "editor", ["member"]);
});

afterAll(() => platform.close());

const REFUSED = { kind: "refused", at: [": invalid_client"] };
const DAY_S = 86_400;

async function rotated(changed: object = {}, beside: Beside = {}, by = root) {
  const request = { service_account_id: program.id, key_id: program.key.id, ...changed };
  return present((await by.ask(sessions.rotateServiceAccountKey, request, beside)).service_account_key);
}

describe("a key that is rotated", () => {
  test("works beside the new one for a day, and then no more", async () => {
    const fresh = await rotated();
    expect(fresh.scopes).toEqual(["ROLE_MEMBER"]);
    expect(fresh.key).not.toBe(program.key.key);
    const lifetimeMs = present(fresh.expires_at).getTime() - present(fresh.created_at).getTime();
    expect(lifetimeMs).toBe(90 * DAY_S * 1_000);
    platform.wait(DAY_S * 1_000 - 5_000);
    expect(claimsOf((await tokenOf(platform, program)).access_token)["role"]).toBe("member");
    platform.wait(6_000);
    expect(await refusal(tokenOf(platform, program))).toEqual(REFUSED);
    expect((await tokenOf(platform, { ...program, key: fresh })).scope).toBe("member");
  });

  test("ends when it would have ended, were that earlier", async () => {
    const key = await newKey(root, program.id, { expiresInS: 60 });
    await rotated({ key_id: key.id });
    const request = { service_account_id: program.id, key_id: key.id };
    const { service_account_key } = await root.ask(rpcs.getServiceAccountKey, request);
    expect(service_account_key?.expires_at).toEqual(key.expires_at);
  });

  test("without overlap stops at once, with its sessions", async () => {
    const { access_token } = await tokenOf(platform, program);
    await rotated({ overlap_s: 0 });
    expect(await refusal(tokenOf(platform, program))).toEqual(REFUSED);
    const [session] = await platform.db.query(
      "test_ended",
      "select ended_at is not null as ended from sessions where id = $1",
      [claimsOf(access_token)["sid"]],
    );
    expect(session).toEqual({ ended: true });
  });

  test("takes an overlap of 0 to 30 days and a lifetime of a minute to 365 days: else 422", async () => {
    for (const changed of [
      { overlap_s: -1 },
      { overlap_s: 30 * DAY_S + 1 },
      { expires_in_s: 59 },
      { expires_in_s: 365 * DAY_S + 1 },
    ]) {
      expect(await refusal(rotated(changed))).toMatchObject({ kind: "invalid" });
    }
    const fresh = await rotated({ overlap_s: 30 * DAY_S, expires_in_s: 365 * DAY_S });
    expect(await rotated({ key_id: fresh.id, overlap_s: 0, expires_in_s: 60 })).toHaveProperty("key");
  });

  test("is rotated once, by however many at once, if they say which version they saw: 412", async () => {
    const trying = Array.from({ length: 5 }, () => rotated({}, { ifMatch: ["1"] }));
    const outcomes = await Promise.allSettled(trying);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await refusal(rotated({}, { ifMatch: ["1"] }))).toMatchObject({ kind: "stale" });
  });

  test("is rotated once, by however many at once and whoever comes later: 409", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => rotated()));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(refusals).toHaveLength(9);
    for (const reason of refusals) {
      expect(reason).toMatchObject({ kind: "conflict", violations: [{ path: [], context: { reason: "state" } }] });
    }
    expect(await refusal(rotated({ overlap_s: 0 }))).toMatchObject({ kind: "conflict" });
    const { items } = await root.ask(rpcs.listServiceAccountKeys, { service_account_id: program.id });
    expect(items).toHaveLength(2);
    expect((await tokenOf(platform, program)).token_type).toBe("Bearer");
  });

  test("makes one new key of a repeated request with the same Idempotency-Key", async () => {
    const beside = { idempotencyKey: "rotate" };
    const first = await rotated({}, beside);
    expect(await rotated({}, beside)).toEqual(first);
    const rows = await platform.db.run<object>((knex) =>
      knex("idempotency").select(knex.raw("row_to_json(idempotency)")),
    );
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(first.key).toString("hex"));
  });

  test("is refused once it has ended: 409", async () => {
    const key = await newKey(root, program.id, { expiresInS: 60 });
    platform.wait(60_000);
    expect(await refusal(rotated({ key_id: key.id }))).toMatchObject({ kind: "conflict" });
  });
});

test("with 20 keys one is rotated without overlap only: 409", async () => {
  for (let at = 1; at < 20; at += 1) await newKey(root, program.id);
  expect(await refusal(rotated())).toMatchObject({ kind: "conflict" });
  expect((await tokenOf(platform, program)).token_type).toBe("Bearer");
  expect((await rotated({ overlap_s: 0 })).id).toMatch(/^key_/);
});

test("keys are rotated by admins alone, and only with their account: 403, 404, 401", async () => {
  const editor = await hire(platform, root, "editor");
  const stranger = await openOrg(platform);
  const self = { ...root, ...platform.bearer((await tokenOf(platform, program)).access_token) };
  expect(await refusal(rotated({}, {}, editor))).toMatchObject({ kind: "missing" });
  expect(await refusal(rotated({}, {}, stranger))).toMatchObject({ kind: "missing" });
  expect(await refusal(rotated({}, {}, self))).toMatchObject({ kind: "denied" });
  expect(await refusal(rotated({ key_id: newId("key") }))).toMatchObject({ kind: "missing" });
  const other = await installProgram(root);
  expect(await refusal(rotated({ service_account_id: other.id }))).toMatchObject({ kind: "missing" });
  expect(await refusal(rotated({}, {}, { ...root, ...platform.bearer("") }))).toMatchObject({
    kind: "unauthenticated",
  });
});

test("a key that is deleted takes its sessions along, also one that was being opened", async () => {
  const opening = Array.from({ length: 10 }, () => tokenOf(platform, program));
  const deleting = root.ask(rpcs.deleteServiceAccountKey, { service_account_id: program.id, key_id: program.key.id });
  await Promise.allSettled([...opening.slice(0, 5), deleting, ...opening.slice(5)]);
  const alive = await platform.db.query("test_alive", "select from sessions where key_id = $1 and ended_at is null", [
    program.key.id,
  ]);
  expect(alive).toHaveLength(0);
});
