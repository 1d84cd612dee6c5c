import { newId } from "@assistant/kit/process/id.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { SessionsServiceService as sessions } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sweepSessions } from "../session-sweep.js";
import { installProgram, tokenOf } from "../testing/clients.js";
import { claimsOf, hire, openOrg, type Person, present, refusal, rootOf, signIn } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { BROWSER, openSession, refreshed } from "../testing/sessions.js";
import { endSessions, type WhichSessions } from "./ending.js";

let platform: Platform;
let root: Person;
let admin: Person;
let stranger: Person;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  admin = await hire(platform, root, "admin");
  stranger = await openOrg(platform);
});

afterAll(() => platform.close());

const sessionOf = ({ token }: { token: string }) => String(claimsOf(token)["sid"]);

describe("the caller's own sessions", () => {
  test("are listed newest first, with where from, and the one of the request is marked", async () => {
    const person = await hire(platform, root);
    const { sessionId, refreshEndsAt } = await openSession(platform, person);
    const { items, next_page_token } = await person.ask(sessions.listUserSessions, {});
    expect(next_page_token).toBeUndefined();
    expect(items.map((item) => [item.id, item.current, item.methods])).toEqual([
      [sessionId, false, ["saml"]],
      [sessionOf(person), true, ["bootstrap"]],
    ]);
    expect(items[0]).toEqual({
      id: sessionId,
      principal_id: person.id,
      methods: ["saml"],
      created_at: expect.any(Date),
      last_used_at: items[0]?.created_at,
      expires_at: refreshEndsAt,
      ip_address: BROWSER.address,
      user_agent: BROWSER.userAgent,
      use_case_id: undefined,
      current: false,
    });
  });

  test("come in pages without gaps", async () => {
    const person = await hire(platform, root);
    const made = [sessionOf(person)];
    for (let at = 0; at < 4; at += 1) made.push((await openSession(platform, person)).sessionId);
    const seen: string[] = [];
    let page_token: string | undefined;
    do {
      const page = await person.ask(sessions.listUserSessions, { page_size: 2, page_token });
      seen.push(...page.items.map((item) => item.id));
      page_token = page.next_page_token;
    } while (page_token !== undefined);
    expect(seen).toEqual(made.reverse());
  });

  test("are ended by the caller, with their refresh tokens, once: then 404", async () => {
    const person = await hire(platform, root);
    const { sessionId: session_id, refreshToken } = await openSession(platform, person);
    expect(await person.ask(sessions.deleteUserSession, { session_id })).toEqual({ message: "Session ended" });
    expect(await refusal(refreshed(platform, refreshToken))).toMatchObject({ kind: "refused" });
    expect(await refusal(person.ask(sessions.deleteUserSession, { session_id }))).toMatchObject({ kind: "missing" });
    const { items } = await person.ask(sessions.listUserSessions, {});
    expect(items.map((item) => item.id)).toEqual([sessionOf(person)]);
    const listed = await platform.db.query("test_revoked", "select kind from revocations where subject = $1", [
      session_id,
    ]);
    expect(listed).toEqual([{ kind: "sid" }]);
  });

  test("are nobody else's: 404, also for admins here", async () => {
    const person = await hire(platform, root);
    const { sessionId: session_id } = await openSession(platform, person);
    for (const other of [admin, root, stranger]) {
      expect(await refusal(other.ask(sessions.deleteUserSession, { session_id }))).toMatchObject({ kind: "missing" });
    }
    const unknown = { session_id: newId("ses") };
    expect(await refusal(person.ask(sessions.deleteUserSession, unknown))).toMatchObject({ kind: "missing" });
  });

  test("need a bearer: 401", async () => {
    const nobody = platform.bearer("");
    expect(await refusal(nobody.ask(sessions.listUserSessions, {}))).toMatchObject({ kind: "unauthenticated" });
    expect(await refusal(nobody.ask(sessions.deleteUserSession, { session_id: "x" }))).toMatchObject({
      kind: "unauthenticated",
    });
  });

  test("are kept from guests, who share their account: 403", async () => {
    const program = await installProgram(root);
    const useCaseId = "uc_01jd3v5q8ye9r9t6w0x2z4b6d8";
    const [one, other] = [
      await openSession(platform, program, { useCaseId }),
      await openSession(platform, program, { useCaseId }),
    ];
    const guest = platform.bearer(one.accessToken);
    expect(await refusal(guest.ask(sessions.listUserSessions, {}))).toMatchObject({ kind: "denied" });
    const ending = guest.ask(sessions.deleteUserSession, { session_id: other.sessionId });
    expect(await refusal(ending)).toMatchObject({ kind: "denied" });
    expect((await refreshed(platform, other.refreshToken)).expires_in).toBe(600);
  });
});

describe("an org's sessions", () => {
  test("are listed to its admins, of one principal too; 403 for others", async () => {
    const person = await hire(platform, root);
    const { sessionId } = await openSession(platform, person);
    const { items } = await admin.ask(sessions.listSessions, { principal_id: person.id });
    expect(items.map((item) => item.id)).toEqual([sessionId, sessionOf(person)]);
    const all = await admin.ask(sessions.listSessions, { page_size: 200 });
    expect(all.items.map((item) => item.id)).toEqual(expect.arrayContaining([sessionId, sessionOf(admin)]));
    expect(all.items.find((item) => item.current)?.id).toBe(sessionOf(admin));
    expect(all.items.map((item) => item.id)).not.toContain(sessionOf(stranger));
    expect(await refusal(person.ask(sessions.listSessions, {}))).toMatchObject({ kind: "denied" });
    expect((await stranger.ask(sessions.listSessions, { principal_id: person.id })).items).toEqual([]);
  });

  test("are ended by its admins alone: 403 for others, 404 elsewhere", async () => {
    const person = await hire(platform, root, "editor");
    const { sessionId: session_id, refreshToken } = await openSession(platform, person);
    expect(await refusal(person.ask(sessions.deleteSession, { session_id }))).toMatchObject({ kind: "denied" });
    expect(await refusal(stranger.ask(sessions.deleteSession, { session_id }))).toMatchObject({ kind: "missing" });
    expect(await admin.ask(sessions.deleteSession, { session_id })).toEqual({ message: "Session ended" });
    expect(await refusal(refreshed(platform, refreshToken))).toMatchObject({ kind: "refused" });
    expect(await refusal(admin.ask(sessions.deleteSession, { session_id }))).toMatchObject({ kind: "missing" });
  });

  test("of platform admins are seen and ended by platform admins alone: 404 for others", async () => {
    const { sessionId: session_id } = await openSession(platform, root);
    const ofRoot = { principal_id: root.id };
    expect((await admin.ask(sessions.listSessions, ofRoot)).items).toEqual([]);
    expect(await refusal(admin.ask(sessions.deleteSession, { session_id }))).toMatchObject({ kind: "missing" });
    expect((await root.ask(sessions.listSessions, ofRoot)).items.map((item) => item.id)).toContain(session_id);
    expect(await root.ask(sessions.deleteSession, { session_id })).toEqual({ message: "Session ended" });
  });

  test("without their bearer: 401", async () => {
    const nobody = platform.bearer("");
    expect(await refusal(nobody.ask(sessions.listSessions, {}))).toMatchObject({ kind: "unauthenticated" });
    const ending = nobody.ask(sessions.deleteSession, { session_id: "x" });
    expect(await refusal(ending)).toMatchObject({ kind: "unauthenticated" });
  });
});

describe("ending sessions", () => {
  const connection = (nameId: string, sessionIndex: string | undefined) => ({
    connection: { id: "saml_1", nameId, sessionIndex },
  });
  const end = (which: WhichSessions, orgId = root.orgId) =>
    platform.db.transaction({ actorId: "", requestId: "test", traceparent: "" }, (tx) => endSessions(tx, orgId, which));

  test("by link, connection, name and index ends exactly those, and none of another org", async () => {
    const person = await hire(platform, root);
    const open = async (changed: object) => (await openSession(platform, person, changed)).sessionId;
    const linked = await open({ linkId: "mgl_1" });
    const [first, second] = [await open(connection("ann", "1")), await open(connection("ann", "2"))];
    const third = await open(connection("ann", undefined));
    const fourth = await open(connection("bob", "1"));
    expect(await end({ linkId: "mgl_1" }, stranger.orgId)).toEqual([]);
    expect(await end({ linkId: "mgl_1" })).toEqual([linked]);
    expect(await end({ connectionId: "saml_1", nameId: "ann", sessionIndex: "1" })).toEqual([first]);
    expect((await end({ connectionId: "saml_1", nameId: "ann", sessionIndex: undefined })).sort()).toEqual(
      [second, third].sort(),
    );
    expect(await end({ connectionId: "saml_1" })).toEqual([fourth]);
    expect(await end({ principalId: person.id })).toEqual([sessionOf(person)]);
    expect(await end({ principalId: person.id })).toEqual([]);
  });

  test("and prolonging them at once leaves none that goes on", async () => {
    const person = await hire(platform, root);
    const opened = await Promise.all(Array.from({ length: 5 }, () => openSession(platform, person)));
    const outcomes = opened.map(({ refreshToken }) => refreshed(platform, refreshToken));
    await Promise.allSettled([...outcomes, end({ principalId: person.id })]);
    const alive = await platform.db.query(
      "test_going_on",
      "select from sessions where principal_id = $1 and ended_at is null",
      [person.id],
    );
    expect(alive).toHaveLength(0);
  });
});

describe("the login history", () => {
  const logins = (principalId: string) =>
    platform.db.query<Record<string, unknown>>(
      "test_logins",
      "select session_id, org_id, method, address, length(user_agent) as agent from login_history where principal_id = $1 order by id",
      [principalId],
    );

  test("tells of people who sign in, by whatever method, and not of programs", async () => {
    const person = await hire(platform, root);
    const client = { address: "192.0.2.3", userAgent: "x".repeat(600) };
    const { sessionId } = await openSession(platform, person, { client });
    expect(await logins(person.id)).toEqual([
      { session_id: sessionOf(person), org_id: root.orgId, method: "bootstrap", address: null, agent: null },
      { session_id: sessionId, org_id: root.orgId, method: "saml", address: "192.0.2.3", agent: 512 },
    ]);
    const program = await installProgram(root);
    await tokenOf(platform, program);
    expect(await logins(program.id)).toEqual([]);
  });

  test("is kept for 400 days, longer than its sessions", async () => {
    const person = await hire(platform, root);
    const atMs = platform.clock();
    await sweepSessions(platform.db, atMs + 399 * 86_400_000);
    expect(await logins(person.id)).toHaveLength(1);
    await sweepSessions(platform.db, atMs + 400 * 86_400_000 + 10_000);
    expect(await logins(person.id)).toHaveLength(0);
  });
});

test("a changed active org acts from the next refresh on, and no longer than the membership there", async () => {
  const token = await signIn(platform, root.email);
  const asRoot = platform.bearer(token);
  const { org } = await asRoot.ask(rpcs.createOrg, { name: "Elsewhere" });
  const org_id = present(org).id;
  const person = await hire(platform, await rootOf(platform));
  for (const user_id of [admin.id, person.id]) {
    await asRoot.ask(rpcs.createOrgMember, { org_id, user_id, role: "ROLE_ADMIN" });
  }
  const session = await openSession(platform, person);
  await platform.db.query(
    "test_choose",
    `insert into profiles (user_id, active_org_id) values ($1, $2)
     on conflict (principal_id) do update set active_org_id = excluded.active_org_id`,
    [person.id, org_id],
  );
  const first = await refreshed(platform, session.refreshToken);
  expect(claimsOf(first.access_token)).toMatchObject({ org: org_id, role: "admin" });
  await asRoot.ask(rpcs.deleteOrgMember, { org_id, user_id: person.id });
  const second = await refreshed(platform, first.refresh_token);
  expect(claimsOf(second.access_token)).toMatchObject({ org: person.orgId, role: "member" });
});
