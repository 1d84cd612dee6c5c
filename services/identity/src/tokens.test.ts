import { newId } from "@assistant/kit/process/id.js";
import { CallersServiceService } from "@assistant/proto/assistant/common/v1/callers.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { decodeProtectedHeader, SignJWT } from "jose";
import { newSecret } from "./secret.js";
import { installProgram, newKey, type Program, tokenOf } from "./testing/clients.js";
import { claimsOf, hire, openOrg, type Person, present, refusal, rootOf, signIn } from "./testing/people.js";
import { openPlatform, type Platform } from "./testing/platform.js";

let platform: Platform;
let root: Person;
let program: Program;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  program = await installProgram(root, "editor");
});

afterAll(() => platform.close());

const refusedAs = (name: string) => ({ kind: "refused", at: [`: ${name}`] });
const trace = { requestId: "test", traceparent: "" };

describe("a token for a service account", () => {
  test("is a bearer for ten minutes that says who, where and what", async () => {
    const answer = await tokenOf(platform, program);
    expect(answer).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 600,
      scope: "editor",
    });
    const { keys } = await platform.bearer("").ask(CallersServiceService.getKeys, {});
    const header = decodeProtectedHeader(answer.access_token);
    expect(header).toEqual({ alg: "ES256", typ: "at+jwt", kid: keys[0]?.kid });
    const claims = claimsOf(answer.access_token);
    expect(claims).toEqual({
      iss: platform.issuer,
      aud: platform.audience,
      sub: program.id,
      org: root.orgId,
      sid: expect.stringMatching(/^ses_/),
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: Number(claims["iat"]) + 600,
      scope: "editor",
      role: "editor",
      pa: false,
      grp: [],
      gmgr: [],
      ep: 1,
      amr: ["key"],
    });
  });

  test("verifies as every service verifies, and opens the door here", async () => {
    const { access_token } = await tokenOf(platform, program);
    const caller = await platform.verifier.verify(access_token, trace);
    expect(caller).toMatchObject({ principalId: program.id, kind: "service_account", role: "editor" });
    const { service_account } = await platform
      .bearer(access_token)
      .ask(rpcs.getServiceAccount, { service_account_id: program.id });
    expect(service_account?.id).toBe(program.id);
  });

  test("has a session of its own, with an event by whom it is for, and the key says when it was used", async () => {
    const { access_token } = await tokenOf(platform, program);
    const { sid } = claimsOf(access_token);
    const [session] = await platform.db.query(
      "test_session",
      "select principal_id, org_id, amr, key_id from sessions where id = $1",
      [sid],
    );
    expect(session).toEqual({ principal_id: program.id, org_id: root.orgId, amr: ["key"], key_id: program.key.id });
    const events = await platform.db.query(
      "test_events",
      "select type, actor_id, data from outbox where subject = $1",
      [sid],
    );
    const origin = { key_id: program.key.id, use_case_id: null, link_id: null, connection_id: null };
    const data = { id: sid, amr: ["key"], principal_id: program.id, ...origin };
    expect(events).toEqual([{ type: "identity.session.created", actor_id: program.id, data }]);
    const request = { service_account_id: program.id, key_id: program.key.id };
    const { service_account_key } = await root.ask(rpcs.getServiceAccountKey, request);
    expect(service_account_key?.last_used_at).toBeInstanceOf(Date);
  });

  test("may do less if less is asked for, never more", async () => {
    const { scope, access_token } = await tokenOf(platform, program, { scope: "member" });
    expect([scope, claimsOf(access_token)["role"]]).toEqual(["member", "member"]);
    expect(await refusal(tokenOf(platform, program, { scope: "admin" }))).toEqual(refusedAs("invalid_scope"));
  });

  test("does not outgrow the scopes of the key, nor the role of the account", async () => {
    const admin = await installProgram(root, "admin", ["member"]);
    expect(claimsOf((await tokenOf(platform, admin)).access_token)["role"]).toBe("member");
    const demoted = await installProgram(root, "admin", ["admin"]);
    await root.ask(rpcs.updateServiceAccount, { service_account_id: demoted.id, role: "ROLE_MEMBER" });
    expect(claimsOf((await tokenOf(platform, demoted)).access_token)).toMatchObject({ role: "member", ep: 2 });
  });

  test("is a new one each time, whatever Idempotency-Key comes along", async () => {
    const request = { grant_type: "client_credentials", client_id: program.id, client_secret: program.key.key };
    const beside = { idempotencyKey: "same" };
    const first = await platform.bearer("").exchange(rpcs.issueToken, request, beside);
    const second = await platform.bearer("").exchange(rpcs.issueToken, request, beside);
    expect(second.answer.access_token).not.toBe(first.answer.access_token);
    expect(second.reply.replayed).toBeUndefined();
  });
});

describe("a token is refused", () => {
  test.each([
    ["without a grant type", { grant_type: undefined }, "invalid_request"],
    ["with an empty grant type", { grant_type: "" }, "invalid_request"],
    ["for a grant type nobody serves", { grant_type: "password" }, "unsupported_grant_type"],
    ["without a client", { client_id: undefined }, "invalid_client"],
    ["without a secret", { client_secret: undefined }, "invalid_client"],
    ["for a client that nobody made", { client_id: newId("sva") }, "invalid_client"],
    ["for a secret of the wrong form", { client_secret: "asst_sk_1" }, "invalid_client"],
    ["for a secret of a key that nobody made", { client_secret: newSecret(newId("key")) }, "invalid_client"],
    ["for a user to act as", { login_hint: "admin@first.example" }, "invalid_request"],
    ["for something that is no client", { client_id: "admin" }, "invalid_client"],
  ])("%s", async (_, changed, name) => {
    expect(await refusal(tokenOf(platform, program, changed))).toEqual(refusedAs(name));
  });

  test("for a well-formed secret of this key that is not its own", async () => {
    const forged = newSecret(program.key.id);
    expect(await refusal(tokenOf(platform, program, { client_secret: forged }))).toEqual(refusedAs("invalid_client"));
  });

  test("for the key of another account", async () => {
    const other = await installProgram(root);
    const mixed = tokenOf(platform, program, { client_secret: other.key.key });
    expect(await refusal(mixed)).toEqual(refusedAs("invalid_client"));
  });

  test("for a key that was revoked", async () => {
    const key = await newKey(root, program.id);
    await root.ask(rpcs.deleteServiceAccountKey, { service_account_id: program.id, key_id: key.id });
    expect(await refusal(tokenOf(platform, { ...program, key }))).toEqual(refusedAs("invalid_client"));
  });

  test("for an account that is disabled or deleted", async () => {
    const other = await installProgram(root);
    await root.ask(rpcs.updateServiceAccount, { service_account_id: other.id, status: "STATUS_DISABLED" });
    expect(await refusal(tokenOf(platform, other))).toEqual(refusedAs("invalid_client"));
    await root.ask(rpcs.updateServiceAccount, { service_account_id: other.id, status: "STATUS_ACTIVE" });
    expect((await tokenOf(platform, other)).token_type).toBe("Bearer");
    await root.ask(rpcs.deleteServiceAccount, { service_account_id: other.id });
    expect(await refusal(tokenOf(platform, other))).toEqual(refusedAs("invalid_client"));
  });

  test("for the operator's client with another token, and with a service account's key", async () => {
    const { bootstrapToken } = platform;
    for (const client_secret of [`${bootstrapToken}x`, bootstrapToken.slice(1), program.key.key]) {
      const asking = tokenOf(platform, program, { client_id: "bootstrap", client_secret });
      expect(await refusal(asking)).toEqual(refusedAs("invalid_client"));
    }
  });
});

describe("a token for the operator", () => {
  const asOperator = (login_hint?: string) =>
    tokenOf(platform, program, { client_id: "bootstrap", client_secret: platform.bootstrapToken, login_hint });

  test("acts as the platform admin", async () => {
    const { access_token, scope } = await asOperator();
    expect(scope).toBe("admin platform_admin");
    expect(claimsOf(access_token)).toMatchObject({ sub: root.id, org: root.orgId, pa: true, amr: ["bootstrap"] });
  });

  test("acts as the user of an address, whatever the case, in that user's org", async () => {
    const elsewhere = await openOrg(platform);
    const { access_token, scope } = await asOperator(elsewhere.email.toUpperCase());
    expect(claimsOf(access_token)).toMatchObject({ sub: elsewhere.id, org: elsewhere.orgId, pa: false });
    expect(scope).toBe("admin");
  });

  test("prefers the first org's user of an address; among others' it does not guess", async () => {
    const one = await openOrg(platform);
    const other = await openOrg(platform);
    await one.ask(rpcs.createUser, { email: "twin@test.example", name: "Twin" });
    await other.ask(rpcs.createUser, { email: "twin@test.example", name: "Twin" });
    expect(await refusal(asOperator("twin@test.example"))).toEqual(refusedAs("invalid_grant"));
    const { user } = await root.ask(rpcs.createUser, { email: "twin@test.example", name: "Twin" });
    expect(claimsOf((await asOperator("twin@test.example")).access_token)["sub"]).toBe(user?.id);
  });

  test("is refused for an address that nobody has", async () => {
    expect(await refusal(asOperator("nobody@test.example"))).toEqual(refusedAs("invalid_grant"));
  });
});

describe("groups in a token", () => {
  test("are named up to 64; who is in more is told by GetCaller, and verifiers ask for it", async () => {
    const person = await hire(platform, root);
    const ids: string[] = [];
    for (let at = 0; at < 65; at += 1) {
      const { group } = await root.ask(rpcs.createGroup, { name: `Group ${at}` });
      ids.push(present(group).id);
    }
    const join = (group_id: string) =>
      root.ask(rpcs.createGroupMember, { group_id, principal_id: person.id, manager: group_id === ids[0] });
    for (const id of ids.slice(0, 64)) await join(id);
    const full = await signIn(platform, person.email);
    expect(claimsOf(full)["grp"]).toEqual(ids.slice(0, 64));
    expect(full.length).toBeLessThan(8_192);
    await join(present(ids[64]));

    const token = await signIn(platform, person.email);
    expect(claimsOf(token)).toMatchObject({ grp_more: true });
    expect(claimsOf(token)).not.toHaveProperty("grp");
    const caller = await platform.verifier.verify(token, trace);
    expect([...caller.groupIds]).toEqual(ids);
    expect([...caller.managedGroupIds]).toEqual([ids[0]]);
    const { items } = await platform.bearer(token).ask(rpcs.listGroups, { page_size: 200 });
    expect(items).toHaveLength(65);
  });
});

describe("a bearer is refused", () => {
  const knock = (token: string) => refusal(platform.bearer(token).ask(rpcs.listOrgs, {}));

  test("that is a key, or the operator's own token", async () => {
    for (const token of [program.key.key, platform.bootstrapToken]) {
      expect(await knock(token)).toMatchObject({ kind: "unauthenticated" });
    }
  });

  test("whose signature or claims were touched", async () => {
    const { access_token } = await tokenOf(platform, program);
    const [header = "", payload = "", signature = ""] = access_token.split(".");
    const raised = { ...claimsOf(access_token), role: "admin", pa: true };
    const other = Buffer.from(JSON.stringify(raised)).toString("base64url");
    const none = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt" })).toString("base64url");
    for (const token of [`${header}.${other}.${signature}`, `${none}.${payload}.`, `${header}.${payload}.`]) {
      expect(await knock(token)).toMatchObject({ kind: "unauthenticated" });
    }
  });

  test("that is signed with the public key as if it were a shared secret", async () => {
    const { keys } = await platform.bearer("").ask(CallersServiceService.getKeys, {});
    const { kid, x, y } = present(keys[0]);
    const { access_token } = await tokenOf(platform, program);
    const forged = await new SignJWT({ ...claimsOf(access_token) })
      .setProtectedHeader({ alg: "HS256", kid, typ: "at+jwt" })
      .sign(Buffer.from(x + y));
    expect(await knock(forged)).toMatchObject({ kind: "unauthenticated" });
  });
});
