import { until } from "@assistant/kit/testing/until.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { sweepSessions } from "../session-sweep.js";
import { installProgram } from "../testing/clients.js";
import { claimsOf, hire, type Person, present, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { BROWSER, openSession, refreshed, successorOf } from "../testing/sessions.js";

let platform: Platform;
let root: Person;
let person: Person;

beforeAll(async () => {
  platform = await openPlatform();
});

beforeEach(async () => {
  // Time passes in these tests, and tokens last ten minutes.
  root = await rootOf(platform);
  person = await hire(platform, root, "editor");
});

afterAll(() => platform.close());

const refusedAs = (name: string) => ({ kind: "refused", at: [`: ${name}`] });
const DAY_MS = 86_400_000;

interface SessionState {
  ended: boolean;
  tokens: number;
}

async function stateOf(sessionId: string): Promise<SessionState> {
  const [state] = await platform.db.query<SessionState>(
    "test_session_state",
    `select ended_at is not null as ended,
      (select count(*)::integer from refresh_tokens where session_id = id) as tokens
     from sessions where id = $1`,
    [sessionId],
  );
  return present(state);
}

describe("a refresh token", () => {
  test("is exchanged for the next tokens of the same session", async () => {
    const session = await openSession(platform, person);
    const answer = await refreshed(platform, session.refreshToken);
    expect(answer).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 600,
      scope: "editor",
      refresh_token: expect.stringMatching(/^asst_rt_[A-Za-z0-9_-]{43}$/),
    });
    expect(answer.refresh_token).not.toBe(session.refreshToken);
    const claims = claimsOf(answer.access_token);
    expect(claims).toMatchObject({ sub: person.id, sid: session.sessionId, amr: ["saml"], role: "editor" });
    expect(claims["jti"]).not.toBe(claimsOf(session.accessToken)["jti"]);
    const { principalId } = await platform.verifier.verify(answer.access_token, { requestId: "t", traceparent: "" });
    expect(principalId).toBe(person.id);
  });

  test("that 20 requests show at once has one successor, and all of them get it", async () => {
    const session = await openSession(platform, person);
    const answers = await Promise.all(Array.from({ length: 20 }, () => refreshed(platform, session.refreshToken)));
    expect(new Set(answers.map((answer) => answer.refresh_token)).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.access_token)).size).toBe(20);
    expect(await stateOf(session.sessionId)).toEqual({ ended: false, tokens: 2 });
  });

  test("is nowhere in the database, nor is its successor once nobody may ask for it again", async () => {
    const session = await openSession(platform, person);
    const successor = await successorOf(platform, session.refreshToken);
    const last = await successorOf(platform, successor);
    await sweepSessions(platform.db, platform.clock() + 61_000);
    const rows = await platform.db.query<{ text: string; sealed: boolean }>(
      "test_dump",
      `select to_jsonb(refresh_tokens)::text as text, successor_sealed is not null as sealed
       from refresh_tokens where session_id = $1
       union all select data::text, false from outbox where subject = $1`,
      [session.sessionId],
    );
    const dump = rows.map((row) => row.text).join();
    for (const token of [session.refreshToken, successor, last]) {
      expect(dump).not.toContain(token);
      expect(dump).not.toContain(Buffer.from(token).toString("hex"));
    }
    expect(rows.some((row) => row.sealed)).toBe(false);
  });

  test.each([
    ["nobody made", `asst_rt_${"A".repeat(43)}`],
    ["of another form", "asst_rt_short"],
    ["that is no text of ours", "'; drop table sessions; --"],
    ["that is 1 MB long", "x".repeat(1_000_000)],
  ])("%s is an invalid_grant", async (_, token) => {
    expect(await refusal(refreshed(platform, token))).toEqual(refusedAs("invalid_grant"));
  });

  test("that is missing or empty is an invalid_request", async () => {
    expect(await refusal(refreshed(platform, undefined))).toEqual(refusedAs("invalid_request"));
    expect(await refusal(refreshed(platform, ""))).toEqual(refusedAs("invalid_request"));
  });

  test("of a session that has ended is an invalid_grant", async () => {
    const session = await openSession(platform, person);
    await platform.db.query("test_end", "update sessions set ended_at = now() where id = $1", [session.sessionId]);
    expect(await refusal(refreshed(platform, session.refreshToken))).toEqual(refusedAs("invalid_grant"));
  });
});

describe("a refresh token that was used before", () => {
  test("is answered with the same successor within ten seconds, to the same client, and ends nothing", async () => {
    const session = await openSession(platform, person);
    const successor = await successorOf(platform, session.refreshToken);
    platform.wait(8_000);
    expect(await successorOf(platform, session.refreshToken)).toBe(successor);
    expect(await successorOf(platform, successor)).not.toBe(successor);
  });

  test.each([
    ["after ten seconds", async () => platform.wait(10_001), BROWSER],
    ["from another address", async () => undefined, { ...BROWSER, address: "192.0.2.2" }],
    ["from another program", async () => undefined, { ...BROWSER, userAgent: "Thief/1" }],
    ["whose successor was used", async (successor: string) => successorOf(platform, successor), BROWSER],
    [
      "two generations back",
      async (successor: string) => successorOf(platform, await successorOf(platform, successor)),
      BROWSER,
    ],
  ])("%s ends the session, also for whoever holds the newest", async (_, between, client) => {
    const session = await openSession(platform, person);
    const successor = await successorOf(platform, session.refreshToken);
    const newest = (await between(successor)) ?? successor;
    expect(await refusal(refreshed(platform, session.refreshToken, {}, client))).toEqual(refusedAs("invalid_grant"));
    expect(await refusal(refreshed(platform, newest))).toEqual(refusedAs("invalid_grant"));
    const events = await platform.db.query(
      "test_end_events",
      "select type, actor_id, data from outbox where subject = $1 and type = 'identity.session.ended'",
      [session.sessionId],
    );
    const data = { id: session.sessionId, principal_id: person.id };
    expect(events).toEqual([{ type: "identity.session.ended", actor_id: "", data }]);
    const listed = await platform.db.query("test_listed", "select kind from revocations where subject = $1", [
      session.sessionId,
    ]);
    expect(listed).toEqual([{ kind: "sid" }]);
  });

  test("by a thief and the owner at once never leaves both with a session", async () => {
    const session = await openSession(platform, person);
    const clients = [BROWSER, { address: "198.51.100.7", userAgent: "Thief/1" }];
    const tries = await Promise.allSettled(
      clients.map((client) => refreshed(platform, session.refreshToken, {}, client)),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await stateOf(session.sessionId)).toMatchObject({ ended: true });
  });
});

test("a process that dies halfway leaves the refresh token as good as it was", async () => {
  const session = await openSession(platform, person);
  const holding = await platform.db.transaction({ actorId: "", requestId: "", traceparent: "" }, async (tx) => {
    await tx.query("test_hold", "select from sessions where id = $1 for update", [session.sessionId]);
    const outcome = refusal(refreshed(platform, session.refreshToken));
    await until(async () => {
      const killed = await platform.db.query(
        "test_kill",
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
         and wait_event_type = 'Lock' and query like '%from sessions%for update%'`,
        [],
      );
      return killed.length > 0;
    });
    return { kind: (await outcome).kind };
  });
  expect(holding.kind).toBe("unavailable");
  expect(await stateOf(session.sessionId)).toEqual({ ended: false, tokens: 1 });
  expect((await refreshed(platform, session.refreshToken)).expires_in).toBe(600);
});

describe("a session", () => {
  test("that is not used for 30 days ends; one that is goes on", async () => {
    const session = await openSession(platform, person);
    platform.wait(30 * DAY_MS - 5_000);
    const successor = await successorOf(platform, session.refreshToken);
    platform.wait(30 * DAY_MS + 1_000);
    expect(await refusal(refreshed(platform, successor))).toEqual(refusedAs("invalid_grant"));
  });

  test("ends after 90 days, however much it is used, and so do its tokens", async () => {
    const session = await openSession(platform, person);
    let token = session.refreshToken;
    for (const days of [25, 25, 25]) {
      platform.wait(days * DAY_MS);
      token = await successorOf(platform, token);
    }
    platform.wait(15 * DAY_MS - 120_000);
    const last = await refreshed(platform, token);
    expect(last.expires_in).toBeLessThanOrEqual(120);
    expect(last.expires_in).toBeGreaterThan(60);
    platform.wait(121_000);
    expect(await refusal(refreshed(platform, last.refresh_token))).toEqual(refusedAs("invalid_grant"));
  });

  test("of a guest lasts eight hours in all, and its tokens name the use case", async () => {
    const program = await installProgram(root);
    const useCaseId = "uc_01jd3v5q8ye9r9t6w0x2z4b6d8";
    const session = await openSession(platform, program, { useCaseId, amr: ["qr_link"], method: "qr_link" });
    expect(claimsOf(session.accessToken)["uc"]).toBe(useCaseId);
    platform.wait(8 * 3_600_000 - 60_000);
    const answer = await refreshed(platform, session.refreshToken);
    expect(claimsOf(answer.access_token)).toMatchObject({ uc: useCaseId, sub: program.id });
    expect(answer.expires_in).toBeLessThanOrEqual(60);
    platform.wait(60_000);
    expect(await refusal(refreshed(platform, answer.refresh_token))).toEqual(refusedAs("invalid_grant"));
  });

  test("never outlives what it was opened with", async () => {
    const endsAt = new Date(platform.clock() + 300_000);
    const session = await openSession(platform, person, { endsAt });
    expect(session.expiresInS).toBeLessThanOrEqual(300);
    expect(session.refreshEndsAt).toEqual(endsAt);
    platform.wait(240_000);
    expect((await refreshed(platform, session.refreshToken)).expires_in).toBeLessThanOrEqual(60);
    const over = openSession(platform, person, { endsAt: new Date(platform.clock()) });
    expect(await refusal(over)).toEqual(refusedAs("invalid_grant"));
  });

  test("follows what its principal may do: role, groups and epoch are those of now", async () => {
    const session = await openSession(platform, person);
    const { group } = await root.ask(rpcs.createGroup, { name: "Readers" });
    await root.ask(rpcs.createGroupMember, { group_id: present(group).id, principal_id: person.id, manager: true });
    await root.ask(rpcs.updateOrgMember, { org_id: root.orgId, user_id: person.id, role: "ROLE_ADMIN" });
    const { access_token, scope } = await refreshed(platform, session.refreshToken);
    expect(scope).toBe("admin");
    const claims = claimsOf(access_token);
    expect(claims).toMatchObject({ role: "admin", grp: [present(group).id], gmgr: [present(group).id] });
    expect(Number(claims["ep"])).toBeGreaterThan(Number(claimsOf(session.accessToken)["ep"]));
  });

  test("that was granted less stays so when its principal rises, and follows when it falls", async () => {
    const admin = await hire(platform, root, "admin");
    const granted = { role: "editor", platformAdmin: false, scope: "editor" } as const;
    const session = await openSession(platform, admin, { granted });
    const first = await refreshed(platform, session.refreshToken);
    expect(first.scope).toBe("editor");
    await root.ask(rpcs.updateOrgMember, { org_id: root.orgId, user_id: admin.id, role: "ROLE_MEMBER" });
    const second = await refreshed(platform, first.refresh_token);
    expect(second.scope).toBe("member");
    await root.ask(rpcs.updateOrgMember, { org_id: root.orgId, user_id: admin.id, role: "ROLE_ADMIN" });
    expect((await refreshed(platform, second.refresh_token)).scope).toBe("editor");
  });

  test("gives a token of less scope if asked, and of more never; the refresh token outlasts the refusal", async () => {
    const session = await openSession(platform, person);
    const more = refreshed(platform, session.refreshToken, { scope: "admin" });
    expect(await refusal(more)).toEqual(refusedAs("invalid_scope"));
    const less = await refreshed(platform, session.refreshToken, { scope: "member" });
    expect(claimsOf(less.access_token)["role"]).toBe("member");
    expect((await refreshed(platform, less.refresh_token)).scope).toBe("editor");
  });

  test("ends when its principal is disabled or leaves the org, and stays ended", async () => {
    const session = await openSession(platform, person);
    await root.ask(rpcs.updateUser, { user_id: person.id, status: "STATUS_DISABLED" });
    expect(await refusal(refreshed(platform, session.refreshToken))).toEqual(refusedAs("invalid_grant"));
    await root.ask(rpcs.updateUser, { user_id: person.id, status: "STATUS_ACTIVE" });
    expect(await refusal(refreshed(platform, session.refreshToken))).toEqual(refusedAs("invalid_grant"));
    const other = await openSession(platform, person);
    await root.ask(rpcs.deleteOrgMember, { org_id: root.orgId, user_id: person.id });
    expect(await refusal(refreshed(platform, other.refreshToken))).toEqual(refusedAs("invalid_grant"));
  });

  test("is prolonged, with where from, as its owner sees it", async () => {
    const session = await openSession(platform, person);
    platform.wait(60_000);
    await refreshed(platform, session.refreshToken, {}, { address: "192.0.2.9", userAgent: "Browser/2" });
    const [row] = await platform.db.query<Record<string, unknown>>(
      "test_prolonged",
      "select address, user_agent, last_used_at > created_at as used, ends_at > expires_at as idle from sessions where id = $1",
      [session.sessionId],
    );
    expect(row).toEqual({ address: "192.0.2.9", user_agent: "Browser/2", used: true, idle: true });
  });
});
