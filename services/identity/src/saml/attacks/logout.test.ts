import { beforeAll, describe, expect, test } from "@jest/globals";
import { logoutRequestText, logoutResponseText, redirectQuery } from "../../testing/saml/logout.js";
import { base64, edit, openProvider, type Provider, signature } from "../../testing/saml/provider.js";
import { redirects } from "../../testing/saml/redirects.js";
import { readLogoutPost, readLogoutRedirect, verifyLogoutPost, verifyLogoutRedirect } from "../protocol/logout.js";

let provider: Provider;
const nowMs = Date.now();

beforeAll(async () => {
  provider = await openProvider();
});

const redirected = (query: string) => verifyLogoutRedirect(query, provider.trust, provider.ourselves, nowMs);
const posted = (text: string, kind: "SAMLRequest" | "SAMLResponse" = "SAMLRequest") =>
  verifyLogoutPost(kind, base64(text), provider.trust, provider.ourselves, nowMs);

const asked = {
  kind: "SAMLRequest",
  id: "_logout",
  nameId: "ada",
  nameIdFormat: undefined,
  sessionIndexes: ["_session"],
  validUntil: new Date(nowMs + 360_000),
};
const answered = {
  kind: "SAMLResponse",
  id: "_logout",
  inResponseTo: "_request",
  complete: true,
  validUntil: new Date(nowMs + 360_000),
};

describe("a logout message by redirect", () => {
  test("says whose sessions end", async () => {
    const query = redirectQuery(logoutRequestText(provider, nowMs), provider.key, { relayState: "a b&c" });
    expect(await readLogoutRedirect(query)).toEqual({
      ok: true,
      value: { kind: "SAMLRequest", issuer: provider.entityId, id: "_logout", inResponseTo: undefined },
    });
    expect(await redirected(query)).toEqual({ ok: true, value: { ...asked, relayState: "a b&c" } });
  });

  test("says that they have ended", async () => {
    const query = redirectQuery(logoutResponseText(provider, nowMs), provider.key, { kind: "SAMLResponse" });
    expect(await redirected(query)).toEqual({ ok: true, value: { ...answered, relayState: undefined } });
  });

  test("is verified over the octets that were sent, however they were escaped", async () => {
    const text = logoutRequestText(provider, nowMs);
    const lower = redirectQuery(text, provider.key).replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase());
    expect(await redirected(lower)).toEqual({ ok: false, code: "signature" });
  });

  test("may be signed with SHA-512", async () => {
    const how = { algorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", digest: "RSA-SHA512" };
    expect(await redirected(redirectQuery(logoutRequestText(provider, nowMs), provider.key, how))).toMatchObject({
      ok: true,
    });
  });

  test.each(redirects().map((attack) => [attack.name, attack] as const))("is refused: %s", async (_name, attack) => {
    expect(await redirected(attack.query(provider, nowMs))).toEqual({ ok: false, code: attack.code });
  });
});

describe("a logout message by POST", () => {
  const good = () => signature(logoutRequestText(provider, nowMs), provider.key, "LogoutRequest");

  test("says whose sessions end", async () => {
    expect(await readLogoutPost("SAMLRequest", base64(good()))).toMatchObject({ ok: true, value: { id: "_logout" } });
    expect(await posted(good())).toEqual({ ok: true, value: { ...asked, relayState: undefined } });
  });

  test("says that they have ended, or that some have not", async () => {
    const success = "urn:oasis:names:tc:SAML:2.0:status:Success";
    const partial = success.replace("Success", "PartialLogout");
    const text = logoutResponseText(provider, nowMs);
    const whole = signature(text, provider.key, "LogoutResponse");
    expect(await posted(whole, "SAMLResponse")).toEqual({ ok: true, value: { ...answered, relayState: undefined } });
    const codes = `<samlp:StatusCode Value="${success}"><samlp:StatusCode Value="${partial}"/></samlp:StatusCode>`;
    const some = signature(edit(text, /<samlp:StatusCode.*?\/>/, codes), provider.key, "LogoutResponse");
    expect(await posted(some, "SAMLResponse")).toMatchObject({ ok: true, value: { complete: false } });
  });

  test.each([
    ["unsigned", (text: string) => edit(text, /<ds:Signature .*<\/ds:Signature>/, "")],
    ["signature", (text: string) => edit(text, ">ada<", ">mallory<")],
    ["signature", (text: string) => edit(text, ">_session<", ">_other<")],
    ["signature_place", (text: string) => edit(text, "</saml:NameID>", "</saml:NameID><Signature/>")],
    ["ids", (text: string) => edit(text, "<saml:NameID>", '<saml:NameID Id="_logout">')],
    ["root", (text: string) => edit(text, /.*/s, '<Other ID="_a" Version="2.0"/>')],
  ])("is refused for %s", async (code, change) => {
    expect(await posted(change(good()))).toEqual({ ok: false, code });
  });

  test("is refused if somebody else signed it, or it is of the other kind", async () => {
    const foreign = signature(logoutRequestText(provider, nowMs), provider.foreign, "LogoutRequest");
    expect(await posted(foreign)).toEqual({ ok: false, code: "signature" });
    expect(await posted(good(), "SAMLResponse")).toEqual({ ok: false, code: "root" });
  });
});
