import { beforeAll, describe, expect, test } from "@jest/globals";
import { claims } from "../../testing/saml/claims.js";
import {
  at,
  base64,
  edit,
  openProvider,
  PERSISTENT,
  type Provider,
  responseText,
  signed,
} from "../../testing/saml/provider.js";
import type { Trust } from "../protocol/protocol.js";
import { verifyResponse } from "../protocol/response.js";

let provider: Provider;

beforeAll(async () => {
  provider = await openProvider();
});

const MINUTE_MS = 60_000;

function verify(message: string, nowMs: number, trust: Partial<Trust> = {}) {
  const request = { id: "_request", createdAtMs: nowMs };
  return verifyResponse(message, { ...provider.trust, ...trust }, provider.ourselves, request, nowMs);
}

describe("a response that is signed well is refused if it says", () => {
  test.each(claims().map((attack) => [attack.name, attack] as const))("%s", async (_name, attack) => {
    const nowMs = Date.now();
    const message = await attack.message(provider, { inResponseTo: "_request", nowMs });
    expect(await verify(message, nowMs, attack.trust)).toEqual({ ok: false, code: attack.code });
  });
});

describe("a response is accepted", () => {
  const MORE = '<saml:Attribute Name="Role"><saml:AttributeValue>b</saml:AttributeValue></saml:Attribute>';
  const rows: [string, (text: string, nowMs: number) => string, object?][] = [
    ["as it should be", (text) => text],
    ["with a name of 256 characters", (text) => edit(text, ">ada<", `>${"ä".repeat(256)}<`)],
    ["with blanks around the name", (text) => edit(text, ">ada<", ">\n ada <"), { nameId: "ada" }],
    [
      "with blanks of another alphabet around the name, which are the name's",
      (text) => edit(text, ">ada<", ">\u00A0ada\u2003<"),
      { nameId: "\u00A0ada\u2003" },
    ],
    [
      "with such blanks around a value, which are the value's",
      (text) => edit(text, ">ada@example.com<", ">\u00A0ada@example.com<"),
      { attributes: new Map([["email", ["\u00A0ada@example.com"]]]) },
    ],
    ["without an issuer of its own", (text) => edit(text, /<saml:Issuer>.*?<\/saml:Issuer>/, "")],
    [
      "from an issuer that is called an entity",
      (text) => edit(text, "<saml:Issuer>", `<saml:Issuer Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity">`),
    ],
    [
      "made five minutes and the difference of clocks ago",
      (text, nowMs) => text.replace(/(?<=IssueInstant=")[^"]*/g, at(nowMs - 6 * MINUTE_MS + 20_000)),
    ],
    [
      "made in the future by the difference of clocks",
      (text, nowMs) => text.replace(/(?<=IssueInstant=")[^"]*/g, at(nowMs + MINUTE_MS)),
    ],
    [
      "with conditions of 70 minutes",
      (text, nowMs) => edit(text, /(?<=Conditions.* NotOnOrAfter=")[^"]*/, at(nowMs + 70 * MINUTE_MS)),
    ],
    [
      "for us among others",
      (text) => edit(text, "<saml:Audience>", "<saml:Audience>https://other.example</saml:Audience><saml:Audience>"),
    ],
    ["for one use", (text) => edit(text, "<saml:AudienceRestriction>", "<saml:OneTimeUse/><saml:AudienceRestriction>")],
    [
      "with a session that ends",
      (text, nowMs) => edit(text, "SessionIndex", `SessionNotOnOrAfter="${at(nowMs + 1)}" SessionIndex`),
      { sessionEndsAt: expect.any(Date) },
    ],
    [
      "with 2,000 values",
      (text) =>
        edit(
          text,
          "</saml:AttributeStatement>",
          `<saml:Attribute Name="groups">${"<saml:AttributeValue>g</saml:AttributeValue>".repeat(1_999)}</saml:Attribute></saml:AttributeStatement>`,
        ),
    ],
    [
      "with one name for several attributes",
      (text) => edit(text, "</saml:AttributeStatement>", `${MORE}${MORE}</saml:AttributeStatement>`),
      {
        attributes: new Map([
          ["email", ["ada@example.com"]],
          ["Role", ["b", "b"]],
        ]),
      },
    ],
    [
      "with an attribute named __proto__",
      (text) => edit(text, '"email"', '"__proto__"'),
      { attributes: new Map([["__proto__", ["ada@example.com"]]]) },
    ],
    [
      "with an attribute that is no text, which is left out",
      (text) => edit(text, ">ada@example.com<", "><x/><"),
      { attributes: new Map([["email", []]]) },
    ],
    ["with a declaration of XML", (text) => `<?xml version="1.0" encoding="UTF-8"?>\n${text}`],
    ["on several lines", (text) => edit(text, "<saml:Subject>", "\r\n<saml:Subject>")],
    ["with characters by number", (text) => edit(text, ">ada<", ">&#97;d&#x61;<"), { nameId: "ada" }],
  ];

  test.each(rows)("%s", async (_name, change, expected = {}) => {
    const nowMs = Date.now();
    const text = change(responseText(provider, { inResponseTo: "_request", nowMs }), nowMs);
    const message = base64(
      signed(
        text,
        provider.key,
        text.includes("<samlp:Status>") && /Destination="[^"]*" InResponseTo="[^"]*"><saml:Issuer/.test(text)
          ? "both"
          : "assertion",
      ),
    );
    expect(await verify(message, nowMs)).toMatchObject({ ok: true, value: expected });
  });

  test("with its base64 in lines of 76 characters", async () => {
    const nowMs = Date.now();
    const text = signed(responseText(provider, { inResponseTo: "_request", nowMs }), provider.key, "assertion");
    expect(await verify(base64(text).replace(/.{76}/g, "$&\r\n"), nowMs)).toMatchObject({ ok: true });
  });

  test("if the key that signed is the second that we know", async () => {
    const nowMs = Date.now();
    const text = signed(responseText(provider, { inResponseTo: "_request", nowMs }), provider.key, "both");
    const certificates = [provider.foreign.certificate, provider.key.certificate];
    expect(await verify(base64(text), nowMs, { certificates })).toMatchObject({ ok: true });
  });

  test("with a format of the name that was agreed", async () => {
    const nowMs = Date.now();
    const text = signed(responseText(provider, { inResponseTo: "_request", nowMs }), provider.key, "assertion");
    expect(await verify(base64(text), nowMs, { nameIdFormat: PERSISTENT })).toMatchObject({ ok: true });
  });
});

describe("a response that nobody asked for", () => {
  const unasked = (message: string, nowMs: number) =>
    verifyResponse(message, provider.trust, provider.ourselves, undefined, nowMs);

  test("is accepted where the connection allows it", async () => {
    const nowMs = Date.now();
    const message = base64(signed(responseText(provider, { inResponseTo: undefined, nowMs }), provider.key, "both"));
    expect(await unasked(message, nowMs)).toMatchObject({ ok: true, value: { nameId: "ada" } });
  });

  test("is refused if it names a request, at the top or below", async () => {
    const nowMs = Date.now();
    const asked = responseText(provider, { inResponseTo: "_request", nowMs });
    const below = edit(asked, ' InResponseTo="_request"', "");
    for (const text of [asked, below]) {
      const message = base64(signed(text, provider.key, "both"));
      expect(await unasked(message, nowMs)).toEqual({ ok: false, code: "unsolicited" });
    }
  });
});

test("an assertion has one hash, with and without a signature around it", async () => {
  const nowMs = Date.now();
  const text = signed(responseText(provider, { inResponseTo: "_request", nowMs }), provider.key, "both");
  const without = edit(text, /<ds:Signature .*?<\/ds:Signature>/, "");
  const [first, second] = await Promise.all([verify(base64(text), nowMs), verify(base64(without), nowMs)]);
  expect(second.ok && second.value.assertionHash).toEqual(first.ok && first.value.assertionHash);
  expect(first.ok).toBe(true);
});
