import { newId } from "@assistant/kit/process/id.js";
import { LinksServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { IdentityServiceService } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { toString as toText } from "qrcode";
import { consume, eventsOf, newLink, newQrLink, tellDeleted } from "../testing/links.js";
import { claimsOf, hire, openOrg, type Person, present, refusal, rootOf } from "../testing/people.js";
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

async function listed(use_case_id: string): Promise<string[]> {
  return (await admin.ask(rpcs.listQrLinks, { use_case_id })).items.map((link) => link.token_id);
}

async function guestOf(token: string): Promise<Record<string, unknown>> {
  return claimsOf((await consume(platform, token)).access_token);
}

describe("links to use cases", () => {
  test("are made by admins: 403 for who may read the use case, 404 for who may not, and for an unknown one", async () => {
    const { use_case_id, token_id } = await newQrLink(platform, admin);
    const all = (who: Person, id: string) => [
      who.ask(rpcs.createQrLink, { use_case_id: id }),
      who.ask(rpcs.getNewestQrLink, { use_case_id: id }),
      who.ask(rpcs.listQrLinks, { use_case_id: id }),
      who.ask(rpcs.getQrLink, { use_case_id: id, token_id }),
      who.ask(rpcs.rotateQrLink, { use_case_id: id }),
      who.ask(rpcs.deleteQrLink, { use_case_id: id, token_id }),
      who.ask(rpcs.getQrLinkSvg, { use_case_id: id, token_id }),
      who.ask(rpcs.getQrLinkPng, { use_case_id: id, token_id }),
    ];
    const outcomes = async (calls: Promise<unknown>[]) => Promise.all(calls.map(async (c) => (await refusal(c)).kind));
    expect(await outcomes(all(editor, use_case_id))).toEqual(Array(8).fill("denied"));
    expect(await outcomes(all(stranger, use_case_id))).toEqual(Array(8).fill("missing"));
    expect(await outcomes(all(admin, newId("uc")))).toEqual(Array(8).fill("missing"));
    expect(await listed(use_case_id)).toEqual([token_id]);
  });

  test("last 30 days unless said otherwise, from a minute to 365 days, with 1 to 100,000 uses: else 422", async () => {
    const use_case_id = platform.catalog.addUseCase(admin.orgId);
    const lifetimeS = async (expires_in_s?: number) => {
      const beforeMs = platform.clock();
      const { expires_at } = await newQrLink(platform, admin, { use_case_id, expires_in_s });
      return Math.floor((present(expires_at).getTime() - beforeMs) / 1_000);
    };
    expect(await lifetimeS()).toBe(30 * 86_400);
    expect(await lifetimeS(60)).toBe(60);
    expect(await lifetimeS(365 * 86_400)).toBe(365 * 86_400);
    const wrongs = [{ expires_in_s: 59 }, { expires_in_s: 365 * 86_400 + 1 }, { max_uses: 0 }, { max_uses: 100_001 }];
    for (const wrong of wrongs) {
      expect(await refusal(admin.ask(rpcs.createQrLink, { use_case_id, ...wrong }))).toMatchObject({ kind: "invalid" });
      expect(await refusal(admin.ask(rpcs.rotateQrLink, { use_case_id, ...wrong }))).toMatchObject({ kind: "invalid" });
    }
    await admin.ask(rpcs.createQrLink, { use_case_id, max_uses: 100_000 });
  });

  test("let in any number of guests, all as one member account of that use case, each with a session of its own", async () => {
    const { use_case_id, token } = await newQrLink(platform, admin);
    const guests = await Promise.all(Array.from({ length: 12 }, () => guestOf(token)));
    expect(new Set(guests.map(({ sub }) => sub)).size).toBe(1);
    expect(new Set(guests.map(({ sid }) => sid)).size).toBe(12);
    for (const guest of guests) {
      expect(guest).toMatchObject({ uc: use_case_id, role: "member", scope: "member", pa: false, amr: ["qr_link"] });
    }
    const request = { service_account_id: String(guests[0]?.["sub"]) };
    const { service_account } = await admin.ask(IdentityServiceService.getServiceAccount, request);
    expect(service_account).toMatchObject({ name: "Contract review", role: "ROLE_MEMBER" });
  });

  test("have one account for a use case, also when the first ones are made at once", async () => {
    const use_case_id = platform.catalog.addUseCase(admin.orgId, { de: "Nur Deutsch" });
    const made = await Promise.all(Array.from({ length: 8 }, () => newQrLink(platform, admin, { use_case_id })));
    const guests = await Promise.all(made.map(({ token }) => guestOf(token)));
    expect(new Set(guests.map(({ sub }) => sub)).size).toBe(1);
    const { items } = await admin.ask(IdentityServiceService.listServiceAccounts, { page_size: 200 });
    expect(items.filter(({ name }) => name === "Nur Deutsch")).toHaveLength(1);
  });

  test("are 20 an hour to a use case: 429 above", async () => {
    const use_case_id = platform.catalog.addUseCase(admin.orgId);
    for (let made = 0; made < 20; made += 1) await newQrLink(platform, admin, { use_case_id });
    expect(await refusal(newQrLink(platform, admin, { use_case_id }))).toMatchObject({ kind: "exhausted" });
    expect(await refusal(admin.ask(rpcs.rotateQrLink, { use_case_id }))).toMatchObject({ kind: "exhausted" });
    expect(await listed(use_case_id)).toHaveLength(20);
  });

  test("keep their guests members: 409 for another role", async () => {
    const { token } = await newQrLink(platform, admin);
    const { sub } = await guestOf(token);
    const raising = { service_account_id: String(sub), role: "ROLE_ADMIN" } as const;
    expect(await refusal(admin.ask(IdentityServiceService.updateServiceAccount, raising))).toEqual({
      kind: "conflict",
      at: ["role: conflict"],
    });
  });
});

describe("a guest", () => {
  test("makes, reads and revokes no links, not even of the own use case or account: 403", async () => {
    const { use_case_id, token, token_id } = await newQrLink(platform, admin);
    const { access_token } = await consume(platform, token);
    const guest = platform.bearer(access_token);
    const own = { service_account_id: String(claimsOf(access_token)["sub"]), token_id };
    for (const call of [
      guest.ask(rpcs.createQrLink, { use_case_id }),
      guest.ask(rpcs.getNewestQrLink, { use_case_id }),
      guest.ask(rpcs.getQrLink, { use_case_id, token_id }),
      guest.ask(rpcs.rotateQrLink, { use_case_id }),
      guest.ask(rpcs.getQrLinkPng, { use_case_id, token_id }),
      guest.ask(rpcs.deleteQrLink, { use_case_id, token_id }),
      guest.ask(rpcs.listMagicLinks, own),
      guest.ask(rpcs.getMagicLink, own),
      guest.ask(rpcs.createMagicLink, own),
      guest.ask(rpcs.deleteMagicLink, own),
    ]) {
      expect(await refusal(call)).toMatchObject({ kind: "denied" });
    }
    expect(await listed(use_case_id)).toEqual([token_id]);
  });
});

describe("the newest link to a use case", () => {
  test("is got while it works: 404 where there is none", async () => {
    const use_case_id = platform.catalog.addUseCase(admin.orgId);
    const get = async () => present((await admin.ask(rpcs.getNewestQrLink, { use_case_id })).magic_link);
    expect(await refusal(get())).toMatchObject({ kind: "missing" });
    const { use_case_id: _, ...older } = await newQrLink(platform, admin, { use_case_id });
    const newer = await newQrLink(platform, admin, { use_case_id, max_uses: 1 });
    expect((await get()).token).toBe(newer.token);
    await consume(platform, newer.token);
    expect(await get()).toEqual(older);
    await admin.ask(rpcs.deleteQrLink, { use_case_id, token_id: older.token_id });
    expect(await refusal(get())).toMatchObject({ kind: "missing" });
  });

  test("is shown to people by a QR code that says its address, as a drawing and as a picture", async () => {
    const { use_case_id, token_id, token } = await newQrLink(platform, admin);
    const url = `${platform.issuer}/login/magic#t=${token}`;
    const svg = present((await admin.ask(rpcs.getQrLinkSvg, { use_case_id, token_id })).file);
    const expected = await toText(url, { type: "svg", errorCorrectionLevel: "M", margin: 4 });
    expect([svg.media_type, svg.content.toString()]).toEqual(["image/svg+xml", expected]);
    const png = present((await admin.ask(rpcs.getQrLinkPng, { use_case_id, token_id })).file);
    expect([png.media_type, png.content.toString("latin1", 1, 4)]).toEqual(["image/png", "PNG"]);
    expect(png.content.readUInt32BE(16)).toBeGreaterThanOrEqual(400);
    const elsewhere = { use_case_id: platform.catalog.addUseCase(admin.orgId), token_id };
    expect(await refusal(admin.ask(rpcs.getQrLinkSvg, elsewhere))).toMatchObject({ kind: "missing" });
    await admin.ask(rpcs.deleteQrLink, { use_case_id, token_id });
    expect(await refusal(admin.ask(rpcs.getQrLinkPng, { use_case_id, token_id }))).toMatchObject({ kind: "missing" });
  });

  test("and every other reading is told as an event", async () => {
    const { use_case_id, token_id, token, expires_at } = await newQrLink(platform, admin);
    await admin.ask(rpcs.getNewestQrLink, { use_case_id });
    await admin.ask(rpcs.listQrLinks, { use_case_id });
    const { magic_link } = await admin.ask(rpcs.getQrLink, { use_case_id, token_id });
    expect(magic_link).toEqual({ token_id, token, expires_at });
    await admin.ask(rpcs.getQrLinkSvg, { use_case_id, token_id });
    await admin.ask(rpcs.getQrLinkPng, { use_case_id, token_id });
    const told = { data: { link_ids: [token_id] }, actor_id: admin.id };
    expect(await eventsOf(platform, "identity.magic_link.shown", use_case_id)).toEqual(Array(5).fill(told));
  });
});

describe("a link to a use case that is over", () => {
  test("is revoked once, with the guests that it let in: 404 the second time, and elsewhere", async () => {
    const { use_case_id, token_id, token } = await newQrLink(platform, admin);
    const { refresh_token } = await consume(platform, token);
    const elsewhere = { use_case_id: platform.catalog.addUseCase(admin.orgId), token_id };
    expect(await refusal(admin.ask(rpcs.deleteQrLink, elsewhere))).toMatchObject({ kind: "missing" });
    const unknown = { use_case_id, token_id: newId("mgl") };
    expect(await refusal(admin.ask(rpcs.deleteQrLink, unknown))).toMatchObject({ kind: "missing" });
    const ofAccount = { use_case_id, token_id: (await newLink(admin)).token_id };
    for (const other of [elsewhere, unknown, ofAccount]) {
      expect(await refusal(admin.ask(rpcs.getQrLink, other))).toMatchObject({ kind: "missing" });
    }
    expect(await refusal(admin.ask(rpcs.deleteQrLink, ofAccount))).toMatchObject({ kind: "missing" });
    expect(await admin.ask(rpcs.deleteQrLink, { use_case_id, token_id })).toEqual({ message: "QR link revoked" });
    expect(await refusal(admin.ask(rpcs.getQrLink, { use_case_id, token_id }))).toMatchObject({ kind: "missing" });
    expect(await refusal(admin.ask(rpcs.deleteQrLink, { use_case_id, token_id }))).toMatchObject({ kind: "missing" });
    expect(await refusal(consume(platform, token))).toMatchObject({ kind: "refused" });
    const prolonging = { grant_type: "refresh_token", refresh_token };
    const call = platform.bearer("").ask(IdentityServiceService.issueToken, prolonging);
    expect(await refusal(call)).toMatchObject({ kind: "refused" });
  });

  test("makes way, with all others and their guests, for a new one", async () => {
    const { use_case_id, token } = await newQrLink(platform, admin);
    const other = await newQrLink(platform, admin, { use_case_id });
    const used = await newQrLink(platform, admin, { use_case_id, max_uses: 1 });
    for (const link of [token, other.token, used.token]) await consume(platform, link);
    const { magic_link } = await admin.ask(rpcs.rotateQrLink, { use_case_id });
    const { token_id, token: fresh } = present(magic_link);
    expect(await listed(use_case_id)).toEqual([token_id]);
    for (const old of [token, other.token])
      expect(await refusal(consume(platform, old))).toMatchObject({ kind: "refused" });
    const live = "select from sessions where use_case_id = $1 and ended_at is null";
    expect(await platform.db.query("live_guests", live, [use_case_id])).toEqual([]);
    expect(await guestOf(fresh)).toMatchObject({ uc: use_case_id });
  });

  test("stays one when several rotate at once", async () => {
    const { use_case_id } = await newQrLink(platform, admin);
    const rotations = Array.from({ length: 6 }, () => admin.ask(rpcs.rotateQrLink, { use_case_id }));
    await Promise.all(rotations);
    expect(await listed(use_case_id)).toHaveLength(1);
  });

  test("is over with the guests' account, and the next link makes a new one", async () => {
    const { use_case_id, token } = await newQrLink(platform, admin);
    const { sub } = await guestOf(token);
    const service_account_id = String(sub);
    await admin.ask(IdentityServiceService.deleteServiceAccount, { service_account_id });
    expect(await refusal(consume(platform, token))).toMatchObject({ kind: "refused" });
    expect(await listed(use_case_id)).toEqual([]);
    const next = await newQrLink(platform, admin, { use_case_id });
    const guest = await guestOf(next.token);
    expect(guest["sub"]).not.toBe(service_account_id);
    const disabling = { service_account_id: String(guest["sub"]), status: "STATUS_DISABLED" } as const;
    await admin.ask(IdentityServiceService.updateServiceAccount, disabling);
    expect(await refusal(consume(platform, next.token))).toMatchObject({ kind: "refused" });
    expect(await refusal(newQrLink(platform, admin, { use_case_id }))).toMatchObject({ kind: "conflict" });
  });
});

describe("when a use case is deleted", () => {
  test("its links and guests are over, and others' are not", async () => {
    const { use_case_id, token, token_id } = await newQrLink(platform, admin);
    const other = await newQrLink(platform, admin);
    await Promise.all([consume(platform, token), consume(platform, other.token)]);
    await tellDeleted(platform, admin.orgId, use_case_id);
    await tellDeleted(platform, admin.orgId, use_case_id);
    expect(await refusal(consume(platform, token))).toMatchObject({ kind: "refused" });
    const live = "select use_case_id from sessions where use_case_id = any($1) and ended_at is null";
    const left = await platform.db.query("live_left", live, [[use_case_id, other.use_case_id]]);
    expect(left).toEqual([{ use_case_id: other.use_case_id }]);
    expect(await eventsOf(platform, "identity.magic_link.revoked", token_id)).toHaveLength(1);
  });

  test("nobody makes a link to it any more, also if catalog was asked before", async () => {
    const use_case_id = platform.catalog.addUseCase(admin.orgId);
    await tellDeleted(platform, admin.orgId, use_case_id);
    expect(await refusal(newQrLink(platform, admin, { use_case_id }))).toMatchObject({ kind: "missing" });
  });

  test("no link outlives it that is made at that very moment", async () => {
    for (let round = 0; round < 8; round += 1) {
      const use_case_id = platform.catalog.addUseCase(admin.orgId);
      const making = Array.from({ length: 6 }, () => newQrLink(platform, admin, { use_case_id }));
      await Promise.allSettled([...making, tellDeleted(platform, admin.orgId, use_case_id)]);
      const text = "select from magic_links where use_case_id = $1 and revoked_at is null";
      expect(await platform.db.query("left_links", text, [use_case_id])).toEqual([]);
    }
  });
});
