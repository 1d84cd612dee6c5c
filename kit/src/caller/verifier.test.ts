import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { SignJWT, UnsecuredJWT } from "jose";
import { faultOf } from "../testing/faults.js";
import {
  claims,
  createSigner,
  EXTENSION,
  ISSUER,
  SERVICE_ACCOUNT,
  type Signer,
  seconds,
  USER,
} from "../testing/signer.js";
import { startVerifying } from "../testing/verifying.js";
import { newTraceparent } from "../wire/trace.js";
import type { Caller } from "./caller.js";

const ABOUT = { requestId: "request-1", traceparent: newTraceparent() };
const ending: (() => unknown)[] = [];
let ours: Signer;
let next: Signer;
let foreign: Signer;

beforeAll(async () => {
  [ours, next, foreign] = await Promise.all([createSigner("k1"), createSigner("k2"), createSigner("k1")]);
});

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
});

async function start() {
  const verifying = await startVerifying(ours.jwk);
  ending.push(() => verifying.close());
  return verifying;
}

describe("a token that holds", () => {
  test("makes the caller that its claims describe", async () => {
    const { verifier } = await start();
    const token = await ours.sign({
      role: "editor",
      pa: true,
      grp: ["grp_a", "grp_b"],
      gmgr: ["grp_b"],
      scope: "read write",
      uc: "uc_1",
    });
    expect(await verifier.verify(token, ABOUT)).toEqual({
      principalId: USER,
      kind: "user",
      orgId: "org_1",
      sessionId: "ses_1",
      role: "editor",
      platformAdmin: true,
      groupIds: new Set(["grp_a", "grp_b"]),
      managedGroupIds: new Set(["grp_b"]),
      useCaseId: "uc_1",
      scopes: ["read", "write"],
      token,
    } satisfies Caller);
  });

  test("of a service account, without groups, makes a caller without them", async () => {
    const { verifier } = await start();
    const caller = await verifier.verify(await ours.sign({ sub: SERVICE_ACCOUNT, scope: undefined }), ABOUT);
    expect(caller).toMatchObject({ kind: "service_account", platformAdmin: false, scopes: [] });
    expect([caller.groupIds.size, caller.useCaseId]).toEqual([0, undefined]);
  });

  test("is verified once and then remembered until it expires", async () => {
    const { verifier, identity, pass } = await start();
    const token = await ours.sign({});
    await verifier.verify(token, ABOUT);
    await identity.stop();
    expect(await verifier.verify(token, ABOUT)).toMatchObject({ principalId: USER, token });
    pass(606_000);
    expect(await faultOf(verifier.verify(token, ABOUT))).toBe("unauthenticated");
  });

  test("names groups that only identity knows: asked once, also by many calls at once", async () => {
    const { verifier, identity } = await start();
    const token = await ours.sign({ grp_more: true });
    const callers = await Promise.all(Array.from({ length: 20 }, () => verifier.verify(token, ABOUT)));
    expect(callers.every(({ groupIds }) => groupIds.has("grp_65"))).toBe(true);
    expect(callers.every(({ managedGroupIds }) => managedGroupIds.has("grp_1"))).toBe(true);
    expect(identity.askedFor).toEqual([token]);
  });
});

describe("a token that does not hold is unauthenticated", () => {
  test.each<[string, () => Promise<string> | string]>([
    ["expired", () => ours.sign({ iat: seconds() - 1_200, exp: seconds() - 6 })],
    ["not valid yet", () => ours.sign({ nbf: seconds() + 60 })],
    ["another issuer", () => ours.sign({ iss: "https://evil.example" })],
    ["another audience", () => ours.sign({ aud: ISSUER })],
    ["another type", () => ours.sign({}, { typ: "JWT" })],
    ["an empty type", () => ours.sign({}, { typ: "" })],
    ["signed by another key of the same id", () => foreign.sign({})],
    ["an unknown key", () => next.sign({})],
    ["no algorithm", () => new UnsecuredJWT(claims({})).encode()],
    ["a shared secret", () => hmacSigned()],
    ["another audience among several is fine, but none of ours", () => ours.sign({ aud: ["a", "b"] })],
    ["a role that is none", () => ours.sign({ role: "owner" })],
    ["a subject that is no principal", () => ours.sign({ sub: "org_01jd3v5q8ye9r9t6w0x2z4b6d8" })],
    ["an epoch that is no number", () => ours.sign({ ep: "1" })],
    ["groups that are no list", () => ours.sign({ grp: "grp_1" })],
    ["an empty org", () => ours.sign({ org: "" })],
    ["a use case that is no id", () => ours.sign({ uc: 5 })],
    ...["sub", "org", "sid", "jti", "exp", "iat", "ep"].map((name): [string, () => Promise<string>] => [
      `no ${name}`,
      () => ours.sign({ [name]: undefined }),
    ]),
    ["a changed payload", async () => changed(await ours.sign({}))],
    ["a signature cut short", async () => (await ours.sign({})).slice(0, -4)],
    ["an extension that must be understood", () => ours.sign({}, { crit: [EXTENSION], [EXTENSION]: true })],
    ["no token at all", () => "good"],
    ["three empty parts", () => ".."],
    ["JSON that is none", () => `${Buffer.from("{").toString("base64url")}.e30.e30`],
  ])("%s", async (_name, make) => {
    const { verifier } = await start();
    expect(await faultOf(verifier.verify(await make(), ABOUT))).toBe("unauthenticated");
  });

  test("over 8 KiB it is not even read", async () => {
    const { verifier, identity } = await start();
    expect(await faultOf(verifier.verify(await ours.sign({ amr: ["x".repeat(9_000)] }), ABOUT))).toBe(
      "unauthenticated",
    );
    expect(identity.fetches).toBe(0);
  });

  test("five seconds of another clock are forgiven", async () => {
    const { verifier } = await start();
    const token = await ours.sign({ exp: seconds() - 3 });
    expect(await verifier.verify(token, ABOUT)).toMatchObject({ principalId: USER });
  });
});

// The classic confusion: the public key, which everybody has, used as a shared secret.
function hmacSigned(): Promise<string> {
  const secret = Buffer.from(JSON.stringify(ours.jwk));
  return new SignJWT(claims({})).setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: "k1" }).sign(secret);
}

function changed(token: string): string {
  const [header, payload = "", signature] = token.split(".");
  const told = { ...JSON.parse(Buffer.from(payload, "base64url").toString()), pa: true };
  return [header, Buffer.from(JSON.stringify(told)).toString("base64url"), signature].join(".");
}
