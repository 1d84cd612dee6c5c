import { openPostgres } from "@assistant/kit/database/postgres.js";
import { quiet } from "@assistant/kit/testing.js";
import { LinksServiceService } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consume, eventsOf, holder, newAccount, newLink, newQrLink, replicaOf } from "../testing/links.js";
import { claimsOf, type Person, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { consumeMagicLink, lookAtMagicLink } from "./consumption.js";
import { newLinkToken } from "./token.js";

let platform: Platform;
let admin: Person;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await rootOf(platform);
});

afterAll(() => platform.close());

const REFUSED = { kind: "refused", at: [": invalid_grant"] };

describe("who has the token of a link", () => {
  test("is signed in as its service account, with a session of its own each time", async () => {
    const { service_account_id, token, token_id } = await newLink(admin, { max_uses: 3 });
    const answers = [await consume(platform, token), await consume(platform, token)];
    const claims = answers.map(({ access_token }) => claimsOf(access_token));
    for (const claim of claims) {
      expect(claim).toMatchObject({ sub: service_account_id, org: admin.orgId, role: "member", amr: ["magic_link"] });
      expect(claim).not.toHaveProperty("uc");
    }
    expect(claims[0]?.["sid"]).not.toBe(claims[1]?.["sid"]);
    expect(answers[0]).toMatchObject({ token_type: "Bearer", expires_in: 600, scope: "member" });
    expect(answers[0]?.refresh_token).toMatch(/^asst_rt_/);
    const caller = await platform.verifier.verify(answers[0]?.access_token ?? "", holder());
    expect(caller).toMatchObject({ kind: "service_account", principalId: service_account_id });
    const used = await eventsOf(platform, "identity.magic_link.used", token_id);
    expect(used.map(({ data, actor_id }) => [data["uses"], actor_id])).toEqual([
      [1, service_account_id],
      [2, service_account_id],
    ]);
  });

  test("leaves an entry in the login history, with address and program, in the words of the kind", async () => {
    const [link, qr] = [await newLink(admin), await newQrLink(platform, admin)];
    for (const { token } of [link, qr]) await consumeMagicLink(replicaOf(platform), token, holder());
    const text = `select method, login_history.address, login_history.user_agent from login_history
      join sessions on sessions.id = session_id where link_id = any($1) order by method`;
    const client = { address: "203.0.113.7", user_agent: "Test/1.0" };
    expect(await platform.db.query("logins", text, [[link.token_id, qr.token_id]])).toEqual([
      { method: "magic_link", ...client },
      { method: "qr_link", ...client },
    ]);
  });

  test("gets what the account may do, or less if asked for less: invalid_scope above, and nothing is used up", async () => {
    const service_account_id = await newAccount(admin);
    await admin.ask(rpcs.updateServiceAccount, { service_account_id, role: "ROLE_EDITOR" });
    const { token } = await newLink(admin, { service_account_id, max_uses: 2 });
    for (const scope of ["admin", "platform_admin", "member platform_admin", "nonsense"]) {
      expect(await refusal(consume(platform, token, scope))).toEqual({ kind: "refused", at: [": invalid_scope"] });
    }
    expect((await consume(platform, token, "member")).scope).toBe("member");
    expect((await consume(platform, token)).scope).toBe("editor");
  });

  test("stays as a guest for eight hours at most, and never longer than the link", async () => {
    const endOf = async (token: string) => {
      const { refreshEndsAt } = await consumeMagicLink(replicaOf(platform), token, holder());
      return ((refreshEndsAt?.getTime() ?? 0) - platform.clock()) / 1_000;
    };
    const long = await newQrLink(platform, admin);
    expect(await endOf(long.token)).toBeCloseTo(8 * 3_600, -1);
    const short = await newQrLink(platform, admin, { expires_in_s: 300 });
    const { access_token } = await consume(platform, short.token);
    expect(await endOf(short.token)).toBeCloseTo(300, -1);
    const { exp } = claimsOf(access_token);
    expect(Number(exp) * 1_000).toBeLessThanOrEqual(short.expires_at?.getTime() ?? 0);
  });

  test("is asked for it: invalid_request without a token", async () => {
    const grant_type = "urn:assistant:grant-type:magic-link";
    for (const token of [undefined, ""]) {
      const call = platform.bearer("").ask(rpcs.issueToken, { grant_type, token });
      expect(await refusal(call)).toEqual({ kind: "refused", at: [": invalid_request"] });
    }
  });
});

describe("one answer, invalid_grant, is for a link that", () => {
  test("nobody made, or that was made up without its checksum", async () => {
    const { token } = await newLink(admin);
    const wrongs = [newLinkToken(), `${token.slice(0, -1)}_`, token.slice(4), `${token} `, "aml_", "x".repeat(10_000)];
    for (const wrong of wrongs) expect(await refusal(consume(platform, wrong))).toEqual(REFUSED);
    expect((await consume(platform, token)).token_type).toBe("Bearer");
  });

  test("is expired, revoked, used up, or whose account is disabled; why is told as an event", async () => {
    const [expired, revoked, used, disabled] = [
      await newLink(admin, { expires_in_s: 60 }),
      await newLink(admin),
      await newLink(admin),
      await newLink(admin),
    ];
    await admin.ask(LinksServiceService.deleteMagicLink, revoked);
    await consume(platform, used.token);
    const disabling = "update service_accounts set status = 'disabled' where id = $1";
    await platform.db.query("disable_account", disabling, [disabled.service_account_id]);
    platform.wait(60_000);
    const reasons = new Map([
      [expired, "expired"],
      [revoked, "revoked"],
      [used, "used_up"],
      [disabled, "account"],
    ]);
    for (const [{ token, token_id, service_account_id }, reason] of reasons) {
      expect(await refusal(consume(platform, token))).toEqual(REFUSED);
      expect(await lookAtMagicLink(replicaOf(platform), token)).toBeUndefined();
      const [told] = await eventsOf(platform, "identity.magic_link.refused", token_id);
      expect(told?.data).toEqual({ id: token_id, service_account_id, use_case_id: null, reason });
      expect(told?.actor_id).toBe("");
    }
  });

  test("works to the last moment of its time and not in the next", async () => {
    const link = await newLink(admin, { expires_in_s: 60, max_uses: 5 });
    const at = (ms: number) => ({ ...replicaOf(platform), clock: () => (link.expires_at?.getTime() ?? 0) + ms });
    expect((await consumeMagicLink(at(-1), link.token, holder())).accessToken).toMatch(/^eyJ/);
    expect(await refusal(consumeMagicLink(at(0), link.token, holder()))).toEqual(REFUSED);
  });
});

describe("many at once", () => {
  test("50 with a link for one get exactly one session, over connections of their own", async () => {
    const { token, token_id } = await newLink(admin);
    const pools = [25, 25].map((poolMax) => openPostgres({ url: platform.databaseUrl, poolMax, log: quiet }));
    const replicas = pools.map((db) => replicaOf(platform, { db }));
    const holders = Array.from({ length: 50 }, (_, index) => replicas[index % 2] ?? replicaOf(platform));
    const outcomes = await Promise.allSettled(holders.map((parts) => consumeMagicLink(parts, token, holder())));
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(refusals).toHaveLength(49);
    for (const reason of refusals) expect(reason).toMatchObject({ kind: "refused", message: "invalid_grant" });
    const text = "select id from sessions where link_id = $1";
    expect(await platform.db.query("sessions_of_link", text, [token_id])).toHaveLength(1);
    const logins = "select from login_history join sessions on sessions.id = session_id where link_id = $1";
    expect(await platform.db.query("logins_of_link", logins, [token_id])).toHaveLength(1);
    await Promise.all(pools.map((db) => db.close()));
  });

  test("as many as its uses get in, and no more", async () => {
    const { token } = await newQrLink(platform, admin, { max_uses: 7 });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => consume(platform, token)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
  });

  test("none is left in by a link that is revoked at that very moment", async () => {
    for (let round = 0; round < 6; round += 1) {
      const link = await newLink(admin, { max_uses: 100 });
      const holders = Array.from({ length: 8 }, () => consume(platform, link.token));
      await Promise.allSettled([...holders, admin.ask(LinksServiceService.deleteMagicLink, link)]);
      const text = "select from sessions where link_id = $1 and ended_at is null";
      expect(await platform.db.query("left_in", text, [link.token_id])).toEqual([]);
    }
  });

  test("none is left in by an account that is disabled at that very moment", async () => {
    for (let round = 0; round < 6; round += 1) {
      const { token, service_account_id } = await newLink(admin, { max_uses: 100 });
      const holders = Array.from({ length: 8 }, () => consume(platform, token));
      const disabling = admin.ask(rpcs.updateServiceAccount, { service_account_id, status: "STATUS_DISABLED" });
      const [end, ...outcomes] = await Promise.allSettled([disabling, ...holders]);
      expect(end.status).toBe("fulfilled");
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ kind: "refused" });
      }
      const text = "select from sessions where principal_id = $1 and ended_at is null";
      expect(await platform.db.query("left_in_account", text, [service_account_id])).toEqual([]);
    }
  });
});

describe("to look at a link", () => {
  test("says what it is for and uses nothing up, however often", async () => {
    const { token, token_id, service_account_id } = await newLink(admin);
    for (let look = 0; look < 3; look += 1) {
      const seen = await lookAtMagicLink(replicaOf(platform), token);
      expect(seen).toMatchObject({
        id: token_id,
        kind: "service_account",
        account_name: "Robot",
        max_uses: 1,
        uses: 0,
      });
      expect(seen?.service_account_id).toBe(service_account_id);
    }
    expect((await consume(platform, token)).token_type).toBe("Bearer");
  });
});
