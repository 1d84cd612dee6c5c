import { newId } from "@assistant/kit/process/id.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { SessionsServiceService as sessions } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newLinkToken } from "./links/token.js";
import { newSecret } from "./secret.js";
import { installProgram, type Program, tokenOf } from "./testing/clients.js";
import { type Person, rootOf } from "./testing/people.js";
import { openPlatform, type Platform } from "./testing/platform.js";
import { openSession, refreshed } from "./testing/sessions.js";

let platform: Platform;
let root: Person;
let program: Program;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  program = await installProgram(root, "editor");
});

afterAll(() => platform.close());

const told = (error: string, description: string | undefined) => ({ kind: "refused", error, description });

async function failing(call: Promise<unknown>) {
  const [outcome] = await Promise.allSettled([call]);
  if (outcome.status === "fulfilled" || !(outcome.reason instanceof Fault)) throw new Error("no refusal");
  const { kind, violations, description } = outcome.reason;
  return { kind, error: violations[0]?.type, description };
}

const issue = (request: object) => platform.bearer("").ask(rpcs.issueToken, request);
const GRANTS = "client_credentials, refresh_token, urn:assistant:grant-type:magic-link";
const LINK = "urn:assistant:grant-type:magic-link";
const KEY = "client_credentials";

describe("a request whose form is wrong is told what is wrong with it", () => {
  test.each([
    ["no grant type", {}, "invalid_request", "grant_type is missing"],
    ["an empty grant type", { grant_type: "" }, "invalid_request", "grant_type is missing"],
    [
      "an unknown grant type",
      { grant_type: "password" },
      "unsupported_grant_type",
      `grant_type must be one of ${GRANTS}`,
    ],
    ["no client", { grant_type: KEY }, "invalid_client", "client_id and client_secret are missing"],
    ["no id", { grant_type: KEY, client_id: "", client_secret: "x" }, "invalid_client", "client_id is missing"],
    ["no secret", { grant_type: KEY, client_id: "x" }, "invalid_client", "client_secret is missing"],
    ["no refresh token", { grant_type: "refresh_token" }, "invalid_request", "refresh_token is missing"],
    [
      "an empty refresh token",
      { grant_type: "refresh_token", refresh_token: "" },
      "invalid_request",
      "refresh_token is missing",
    ],
    ["no link", { grant_type: LINK }, "invalid_request", "token is missing"],
  ])("with %s", async (_, request, error, description) => {
    expect(await failing(issue(request))).toEqual(told(error, description));
  });

  test("with a cookie that another site has sent, were it good or not", async () => {
    const { refreshToken } = await openSession(platform, root);
    const description = "the cookie was sent without the Origin of this site";
    for (const token of [refreshToken, "nonsense"]) {
      const cookie = { refresh_cookie: `__Host-refresh=${token}`, origin: "https://evil.example" };
      expect(await failing(refreshed(platform, undefined, cookie))).toEqual(told("invalid_request", description));
      const revoking = platform.bearer("").ask(sessions.revokeToken, cookie);
      expect(await failing(revoking)).toEqual(told("invalid_request", description));
    }
  });

  test("with no token to revoke or to look at", async () => {
    for (const token of [undefined, ""]) {
      const without = told("invalid_request", "token is missing");
      expect(await failing(platform.bearer("").ask(sessions.revokeToken, { token }))).toEqual(without);
      expect(await failing(root.ask(sessions.introspectToken, { token }))).toEqual(without);
    }
  });

  test("with a user to act as, once the service account has proved itself", async () => {
    const asking = { login_hint: "admin@first.example" };
    const description = "login_hint is for the client bootstrap only";
    expect(await failing(tokenOf(platform, program, asking))).toEqual(told("invalid_request", description));
    const forged = { ...asking, client_secret: newSecret(program.key.id) };
    expect(await failing(tokenOf(platform, program, forged))).toEqual(told("invalid_client", undefined));
  });

  test("with a scope that there is not, or that is more than the client has", async () => {
    const unknown = "scope must be among admin, editor, member, platform_admin";
    expect(await failing(tokenOf(platform, program, { scope: "root" }))).toEqual(told("invalid_scope", unknown));
    const excess = "the scope exceeds what the client holds";
    expect(await failing(tokenOf(platform, program, { scope: "admin" }))).toEqual(told("invalid_scope", excess));
  });
});

test("what does not prove anything is refused in one way, whatever is wrong with it", async () => {
  const { refreshToken } = await openSession(platform, root);
  await platform.bearer("").ask(sessions.revokeToken, { token: refreshToken });
  for (const token of [refreshToken, "nonsense", `asst_rt_${"A".repeat(43)}`]) {
    expect(await failing(refreshed(platform, token))).toEqual(told("invalid_grant", undefined));
  }
  for (const token of ["nonsense", newLinkToken()]) {
    expect(await failing(issue({ grant_type: LINK, token }))).toEqual(told("invalid_grant", undefined));
  }
  for (const changed of [
    { client_id: newId("sva") },
    { client_id: "bootstrap" },
    { client_secret: "nonsense" },
    { client_secret: newSecret(program.key.id) },
    { client_secret: newSecret(newId("key")) },
  ]) {
    expect(await failing(tokenOf(platform, program, changed))).toEqual(told("invalid_client", undefined));
  }
});
