import { newId } from "@assistant/kit/process/id.js";
import { LinksServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { IdentityServiceService } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { installProgram, tokenOf } from "../testing/clients.js";
import { consume, eventsOf, newAccount, newLink } from "../testing/links.js";
import { hire, openOrg, type Person, personOf, present, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";

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

const HOUR_MS = 3_600_000;

async function listed(service_account_id: string) {
  return (await admin.ask(rpcs.listMagicLinks, { service_account_id })).items;
}

describe("links of service accounts", () => {
  test("are made by admins: 404 for all who do not see the account, 403 for the account itself", async () => {
    const program = await installProgram(admin);
    const request = { service_account_id: program.id };
    const link = await newLink(admin, request);
    expect(link).toMatchObject({ token_id: expect.stringMatching(/^mgl_/), token: expect.stringMatching(/^aml_/) });
    const robot = platform.bearer((await tokenOf(platform, program)).access_token);
    const one = { ...request, token_id: link.token_id };
    for (const [who, kind] of [
      [editor, "missing"],
      [stranger, "missing"],
      [robot, "denied"],
    ] as const) {
      expect(await refusal(who.ask(rpcs.createMagicLink, request))).toMatchObject({ kind });
      expect(await refusal(who.ask(rpcs.listMagicLinks, request))).toMatchObject({ kind });
      expect(await refusal(who.ask(rpcs.getMagicLink, one))).toMatchObject({ kind });
      expect(await refusal(who.ask(rpcs.deleteMagicLink, one))).toMatchObject({ kind });
    }
    expect(await refusal(platform.bearer("").ask(rpcs.listMagicLinks, request))).toMatchObject({
      kind: "unauthenticated",
    });
    const unknown = { service_account_id: newId("sva") };
    expect(await refusal(admin.ask(rpcs.createMagicLink, unknown))).toMatchObject({ kind: "missing" });
    expect(await refusal(admin.ask(rpcs.listMagicLinks, unknown))).toMatchObject({ kind: "missing" });
    expect(await listed(program.id)).toHaveLength(1);
  });

  test("last a day unless said otherwise, from a minute to 30 days: 422 below and above", async () => {
    const service_account_id = await newAccount(admin);
    const lifetimeS = async (expires_in_s?: number) => {
      const beforeMs = platform.clock();
      const { expires_at } = await newLink(admin, { service_account_id, expires_in_s });
      return Math.floor((present(expires_at).getTime() - beforeMs) / 1_000);
    };
    expect(await lifetimeS()).toBe(86_400);
    expect(await lifetimeS(60)).toBe(60);
    expect(await lifetimeS(30 * 86_400)).toBe(30 * 86_400);
    for (const [expires_in_s, type] of [
      [59, "greater_than_equal"],
      [30 * 86_400 + 1, "less_than_equal"],
    ] as const) {
      const wrong = newLink(admin, { service_account_id, expires_in_s });
      expect(await refusal(wrong)).toEqual({ kind: "invalid", at: [`expires_in_s: ${type}`] });
    }
  });

  test("are good for one use unless said otherwise, for 100,000 at most: 422 below and above", async () => {
    const service_account_id = await newAccount(admin);
    const link = await newLink(admin, { service_account_id, max_uses: 2 });
    await newLink(admin, { service_account_id, max_uses: 100_000 });
    for (const [max_uses, type] of [
      [0, "greater_than_equal"],
      [100_001, "less_than_equal"],
    ] as const) {
      const wrong = newLink(admin, { service_account_id, max_uses });
      expect(await refusal(wrong)).toEqual({ kind: "invalid", at: [`max_uses: ${type}`] });
    }
    for (let use = 0; use < 2; use += 1) await consume(platform, link.token);
    expect(await refusal(consume(platform, link.token))).toEqual({ kind: "refused", at: [": invalid_grant"] });
  });

  test("are 20 an hour to an account, also when they are made at once: 429 until the first is an hour old", async () => {
    const service_account_id = await newAccount(admin);
    const making = Array.from({ length: 25 }, () => newLink(admin, { service_account_id }));
    const outcomes = await Promise.allSettled(making);
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(20);
    const [first] = (await listed(service_account_id)).slice(-1);
    await admin.ask(rpcs.deleteMagicLink, { service_account_id, token_id: first?.token_id });
    const late = newLink(admin, { service_account_id });
    await expect(late).rejects.toMatchObject({ kind: "exhausted", retryAfterS: expect.any(Number) });
    expect((await newLink(admin)).token_id).toMatch(/^mgl_/);
    platform.wait(HOUR_MS);
    // Their tokens have run out meanwhile.
    for (const person of [admin, stranger, editor]) Object.assign(person, await personOf(platform, person.email));
    expect((await newLink(admin, { service_account_id })).token_id).toMatch(/^mgl_/);
  });

  test("are 200 to an account that work: 409 above", async () => {
    const { service_account_id, token_id } = await newLink(admin, { expires_in_s: 86_400 });
    const text = `insert into magic_links (id, org_id, kind, service_account_id, lookup, sealed, max_uses, version,
        created_at, expires_at)
      select 'mgl_' || n, org_id, kind, service_account_id, sha256(n::text::bytea), sealed, 1, 1,
        created_at - interval '1 day', expires_at
      from magic_links, generate_series(1, 198) as n where id = $1`;
    await platform.db.query("fill_links", text, [token_id]);
    const last = await newLink(admin, { service_account_id });
    expect(await refusal(newLink(admin, { service_account_id }))).toMatchObject({ kind: "conflict" });
    await admin.ask(rpcs.deleteMagicLink, { service_account_id, token_id: last.token_id });
    expect((await newLink(admin, { service_account_id })).token_id).toMatch(/^mgl_/);
  });

  test("answer a repeated request with the same link, for ten minutes, sealed", async () => {
    const service_account_id = await newAccount(admin);
    const beside = { idempotencyKey: newId("key") };
    const once = () => admin.exchange(rpcs.createMagicLink, { service_account_id }, beside);
    const [first, again] = [await once(), await once()];
    expect(again.answer).toEqual(first.answer);
    expect(again.reply.replayed).toBe(true);
    expect(await listed(service_account_id)).toHaveLength(1);
    const text = "select expires_at - created_at as kept, answer from idempotency where key = $1";
    const [row] = await platform.db.query<{ kept: { minutes: number }; answer: Buffer }>("kept", text, [
      beside.idempotencyKey,
    ]);
    expect(row?.kept).toEqual({ minutes: 10 });
    expect(row?.answer.includes(present(first.answer.magic_link).token)).toBe(false);
  });
});

describe("the list of links", () => {
  test("has those that work, newest first, with their tokens", async () => {
    const service_account_id = await newAccount(admin);
    const kept = [
      await newLink(admin, { service_account_id }),
      await newLink(admin, { service_account_id, max_uses: 5 }),
    ];
    const [revoked, used, expired] = [
      await newLink(admin, { service_account_id }),
      await newLink(admin, { service_account_id }),
      await newLink(admin, { service_account_id, expires_in_s: 60 }),
    ];
    await admin.ask(rpcs.deleteMagicLink, { service_account_id, token_id: revoked.token_id });
    await consume(platform, used.token);
    expect((await listed(service_account_id)).map((link) => link.token_id)).toContain(expired.token_id);
    platform.wait(60_000);
    const expected = kept.reverse().map(({ token_id, token, expires_at }) => ({ token_id, token, expires_at }));
    expect(await listed(service_account_id)).toEqual(expected);
    expect(await listed(await newAccount(admin))).toEqual([]);
  });

  test("tells each reading as an event, with who read which links and no token", async () => {
    const { service_account_id, token_id } = await newLink(admin);
    await listed(service_account_id);
    const empty = await newAccount(admin);
    await listed(empty);
    const told = { data: { link_ids: [token_id] }, actor_id: admin.id };
    expect(await eventsOf(platform, "identity.magic_link.shown", service_account_id)).toEqual([told]);
    expect(await eventsOf(platform, "identity.magic_link.shown", empty)).toEqual([{ ...told, data: { link_ids: [] } }]);
  });

  test("has links to be read one by one, while they work, each told as an event too: else 404", async () => {
    const { service_account_id, ...link } = await newLink(admin);
    const one = { service_account_id, token_id: link.token_id };
    expect(await admin.ask(rpcs.getMagicLink, one)).toEqual({ magic_link: link });
    const told = { data: { link_ids: [link.token_id] }, actor_id: admin.id };
    expect(await eventsOf(platform, "identity.magic_link.shown", service_account_id)).toEqual([told]);
    const elsewhere = { ...one, service_account_id: await newAccount(admin) };
    expect(await refusal(admin.ask(rpcs.getMagicLink, elsewhere))).toMatchObject({ kind: "missing" });
    await consume(platform, link.token);
    expect(await refusal(admin.ask(rpcs.getMagicLink, one))).toMatchObject({ kind: "missing" });
  });

  test("leaves out a link that does not open, which works all the same", async () => {
    const service_account_id = await newAccount(admin);
    const [good, damaged] = [
      await newLink(admin, { service_account_id }),
      await newLink(admin, { service_account_id }),
    ];
    const text = "update magic_links set sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20)) where id = $1";
    await platform.db.query("damage_link", text, [damaged.token_id]);
    expect((await listed(service_account_id)).map((link) => link.token_id)).toEqual([good.token_id]);
    expect((await consume(platform, damaged.token)).token_type).toBe("Bearer");
  });

  test("has nothing of another org", async () => {
    const { service_account_id, token_id } = await newLink(admin);
    const foreign = await newAccount(stranger);
    expect((await stranger.ask(rpcs.listMagicLinks, { service_account_id: foreign })).items).toEqual([]);
    for (const account of [foreign, service_account_id]) {
      const taking = stranger.ask(rpcs.deleteMagicLink, { service_account_id: account, token_id });
      expect(await refusal(taking)).toMatchObject({ kind: "missing" });
    }
  });
});

describe("a link that is over", () => {
  test("is revoked once, with the sessions that it opened: 404 the second time", async () => {
    const { service_account_id, token_id, token } = await newLink(admin, { max_uses: 3 });
    const { refresh_token } = await consume(platform, token);
    const request = { service_account_id, token_id };
    expect(await admin.ask(rpcs.deleteMagicLink, request)).toEqual({ message: "Magic link revoked" });
    expect(await refusal(admin.ask(rpcs.deleteMagicLink, request))).toMatchObject({ kind: "missing" });
    expect(await refusal(consume(platform, token))).toMatchObject({ kind: "refused" });
    const prolonging = platform
      .bearer("")
      .ask(IdentityServiceService.issueToken, { grant_type: "refresh_token", refresh_token });
    expect(await refusal(prolonging)).toMatchObject({ kind: "refused" });
    const live = "select from sessions where link_id = $1 and ended_at is null";
    expect(await platform.db.query("live_sessions", live, [token_id])).toEqual([]);
  });

  test("can still be revoked once used up, for the sake of its session", async () => {
    const { service_account_id, token_id, token } = await newLink(admin);
    await consume(platform, token);
    await admin.ask(rpcs.deleteMagicLink, { service_account_id, token_id });
    const live = "select from sessions where link_id = $1 and ended_at is null";
    expect(await platform.db.query("live_sessions", live, [token_id])).toEqual([]);
  });

  test("is not the link of another account: 404", async () => {
    const { token_id, token } = await newLink(admin);
    const mixed = { service_account_id: await newAccount(admin), token_id };
    expect(await refusal(admin.ask(rpcs.deleteMagicLink, mixed))).toMatchObject({ kind: "missing" });
    expect((await consume(platform, token)).token_type).toBe("Bearer");
  });

  test("is over with its account, for good: disabled, and also deleted", async () => {
    const { service_account_id, token } = await newLink(admin, { max_uses: 9 });
    const { refresh_token } = await consume(platform, token);
    const update = (status: "STATUS_DISABLED" | "STATUS_ACTIVE") =>
      admin.ask(IdentityServiceService.updateServiceAccount, { service_account_id, status });
    await update("STATUS_DISABLED");
    expect(await refusal(consume(platform, token))).toMatchObject({ kind: "refused" });
    expect(await refusal(newLink(admin, { service_account_id }))).toMatchObject({ kind: "conflict" });
    await update("STATUS_ACTIVE");
    expect(await refusal(consume(platform, token))).toMatchObject({ kind: "refused" });
    expect(await listed(service_account_id)).toEqual([]);
    const prolonging = platform
      .bearer("")
      .ask(IdentityServiceService.issueToken, { grant_type: "refresh_token", refresh_token });
    expect(await refusal(prolonging)).toMatchObject({ kind: "refused" });

    const other = await newLink(admin);
    await admin.ask(IdentityServiceService.deleteServiceAccount, { service_account_id: other.service_account_id });
    expect(await refusal(consume(platform, other.token))).toMatchObject({ kind: "refused" });
  });
});
