import { CallersServiceService } from "@assistant/proto/assistant/common/v1/callers.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT, UnsecuredJWT } from "jose";
import { signingKeys } from "./signing-keys.js";
import { claimsOf, hire, type Person, present, refusal, rootOf } from "./testing/people.js";
import { openPlatform, type Platform } from "./testing/platform.js";

let platform: Platform;
let person: Person;
let genuine: Record<string, unknown>;
let key: CryptoKey;
let kid: string;

beforeAll(async () => {
  platform = await openPlatform();
  person = await hire(platform, await rootOf(platform));
  const signer = await signingKeys(platform).signer();
  [key, kid] = [signer.privateKey, signer.kid];
});

beforeEach(() => {
  genuine = claimsOf(person.token);
});

afterAll(() => platform.close());

const knock = (token: string) => refusal(platform.bearer(token).ask(rpcs.getUser, { user_id: person.id }));
const REFUSED = { kind: "unauthenticated", at: [] };

/** Signed by the platform's own key, with claims and headers changed; undefined takes one away. */
function signed(claims: Record<string, unknown>, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
  return new SignJWT({ ...genuine, ...claims })
    .setProtectedHeader({ alg: "ES256", kid, typ: "at+jwt", ...header })
    .sign(key, { crit: { "urn:example:extension": true } });
}

const nowS = () => Math.floor(Date.now() / 1_000);
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("a bearer with the platform's own signature", () => {
  test("is taken as it was made, so that what follows is refused for what was changed", async () => {
    const { user } = await platform.bearer(await signed({})).ask(rpcs.getUser, { user_id: person.id });
    expect(user?.id).toBe(person.id);
  });

  test.each<[string, Record<string, unknown>, Partial<JWTHeaderParameters>]>([
    ["another issuer", { iss: "https://evil.example" }, {}],
    ["no issuer", { iss: undefined }, {}],
    ["another audience", { aud: "https://assistant.example" }, {}],
    ["no audience", { aud: undefined }, {}],
    ["another type", {}, { typ: "JWT" }],
    ["an empty type", {}, { typ: "" }],
    ["an end six seconds ago", { exp: nowS() - 6 }, {}],
    ["a beginning in a minute", { nbf: nowS() + 60 }, {}],
    ["a making in a minute", { iat: nowS() + 60, exp: nowS() + 120 }, {}],
    ["an extension that must be understood", {}, { crit: ["urn:example:extension"], "urn:example:extension": 1 }],
    ["an id of a key that nobody has", {}, { kid: "other" }],
    ["a role that is none", { role: "owner" }, {}],
    ["a subject that is no principal", { sub: "bootstrap" }, {}],
    ["an epoch that is no number", { ep: "9" }, {}],
    ...["sub", "org", "sid", "jti", "iat", "exp", "ep", "role"].map(
      (name): [string, Record<string, unknown>, Partial<JWTHeaderParameters>] => [
        `no ${name}`,
        { [name]: undefined },
        {},
      ],
    ),
  ])("is refused with %s", async (_, claims, header) => {
    expect(await knock(await signed(claims, header))).toEqual(REFUSED);
  });
});

test("a bearer of more than 8 KiB is refused unread, one of just that is read", async () => {
  const about = { requestId: "test", traceparent: "" };
  const padded = async (length: number) => signed({ padding: "x".repeat(length) });
  const room = 8_192 - (await padded(0)).length;
  // Four characters of a token hold three of its claims.
  const [fits, exceeds] = [await padded(Math.floor((room * 3) / 4) - 3), await padded(Math.ceil((room * 3) / 4) + 3)];
  expect([fits.length <= 8_192, exceeds.length > 8_192]).toEqual([true, true]);
  expect((await platform.verifier.verify(fits, about)).principalId).toBe(person.id);
  expect(await refusal(platform.verifier.verify(exceeds, about))).toEqual(REFUSED);
});

describe("a bearer is refused that is signed", () => {
  test("by nobody, with the algorithm none in any spelling", async () => {
    const payload = encoded(genuine);
    for (const alg of ["none", "None", "NONE", "nOnE"]) {
      const header = encoded({ alg, typ: "at+jwt", kid });
      for (const token of [`${header}.${payload}.`, `${header}.${payload}`, `${header}.${payload}.AAAA`]) {
        expect(await knock(token)).toEqual(REFUSED);
      }
    }
    expect(await knock(new UnsecuredJWT(genuine).encode())).toEqual(REFUSED);
  });

  test("with the public key as if it were a shared secret", async () => {
    const { keys } = await platform.bearer("").ask(CallersServiceService.getKeys, {});
    const { x, y } = present(keys[0]);
    const jwk = JSON.stringify({ kty: "EC", crv: "P-256", x, y });
    for (const secret of [x + y, x, jwk, Buffer.concat([Buffer.from(x, "base64url"), Buffer.from(y, "base64url")])]) {
      const forged = await new SignJWT(genuine)
        .setProtectedHeader({ alg: "HS256", kid, typ: "at+jwt" })
        .sign(Buffer.from(secret));
      expect(await knock(forged)).toEqual(REFUSED);
    }
  });

  test("by a key that it brings along, under the platform's key id or its own", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const jwk = await exportJWK(publicKey);
    const bringing: Partial<JWTHeaderParameters>[] = [
      { kid, jwk },
      { kid: "mine", jwk: { ...jwk, kid: "mine" } },
      { kid, jku: "https://evil.example/jwks.json" },
      { kid, x5u: "https://evil.example/cert.pem", x5c: ["MIIB"] },
    ];
    for (const header of bringing) {
      const forged = await new SignJWT(genuine)
        .setProtectedHeader({ alg: "ES256", typ: "at+jwt", ...header })
        .sign(privateKey);
      expect(await knock(forged)).toEqual(REFUSED);
    }
  });

  test("with a key of the platform's for other claims than those it shows", async () => {
    const [header = "", payload = "", signature = ""] = person.token.split(".");
    const raised = encoded({ ...genuine, role: "admin", pa: true });
    const cut = signature.slice(0, -2);
    for (const token of [
      `${header}.${raised}.${signature}`,
      `${header}.${payload}.${cut}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${"A".repeat(86)}`,
      `${encoded({ alg: "ES256", kid, typ: "at+jwt", b64: false })}.${payload}.${signature}`,
    ]) {
      expect(await knock(token)).toEqual(REFUSED);
    }
  });
});
