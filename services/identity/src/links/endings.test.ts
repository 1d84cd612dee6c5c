import { LinksServiceService } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consume, newLink, newQrLink, tellDeleted } from "../testing/links.js";
import { claimsOf, type Person, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";

let platform: Platform;
let admin: Person;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await rootOf(platform);
});

afterAll(() => platform.close());

const ROUNDS = 6;
const HOLDERS = 8;

/** Lets many sign in while something ends, and expects each of them to be let in or to be refused, nothing else. */
async function during(token: string, ...ends: Promise<unknown>[]): Promise<void> {
  const holders = Array.from({ length: HOLDERS }, () => consume(platform, token));
  const outcomes = await Promise.allSettled(holders);
  await Promise.all(ends);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ kind: "refused" });
  }
}

async function sessionsLeft(principalId: string): Promise<number> {
  const text = "select from sessions where principal_id = $1 and ended_at is null";
  return (await platform.db.query("sessions_left", text, [principalId])).length;
}

async function guestsOf(token: string) {
  const guest = await consume(platform, token);
  return { guest, accountId: String(claimsOf(guest.access_token)["sub"]) };
}

describe("nobody stays in who gets in at the very moment at which", () => {
  test("the account is deleted", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { token, service_account_id } = await newLink(admin, { max_uses: 100 });
      await during(token, admin.ask(rpcs.deleteServiceAccount, { service_account_id }));
      expect(await sessionsLeft(service_account_id)).toBe(0);
    }
  });

  test("the use case is deleted", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { token, use_case_id } = await newQrLink(platform, admin);
      const { accountId } = await guestsOf(token);
      await during(token, tellDeleted(platform, admin.orgId, use_case_id));
      expect(await sessionsLeft(accountId)).toBe(0);
    }
  });

  test("another link takes its place", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { token, use_case_id } = await newQrLink(platform, admin);
      const { accountId } = await guestsOf(token);
      await during(token, admin.ask(LinksServiceService.rotateQrLink, { use_case_id }));
      expect(await sessionsLeft(accountId)).toBe(0);
    }
  });

  test("link, use case and account end together, while guests prolong their sessions", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const link = await newQrLink(platform, admin);
      const { guest, accountId } = await guestsOf(link.token);
      const refreshing = { grant_type: "refresh_token", refresh_token: guest.refresh_token };
      const ends = [
        admin.ask(LinksServiceService.deleteQrLink, link),
        admin.ask(rpcs.deleteServiceAccount, { service_account_id: accountId }),
        tellDeleted(platform, admin.orgId, link.use_case_id),
        platform.bearer("").ask(rpcs.issueToken, refreshing),
      ];
      const settled = Promise.allSettled(ends);
      await during(link.token, settled);
      for (const end of await settled) {
        if (end.status === "rejected") expect(["missing", "refused"]).toContain(end.reason.kind);
      }
      expect(await sessionsLeft(accountId)).toBe(0);
    }
  });
});
