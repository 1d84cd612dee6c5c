import { createVerify } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { hasXmlsec, schemaErrors, verifyWithXmlsec } from "../../testing/saml/xml-oracles.js";
import { attributeOf, readXml } from "./dom.js";
import { type KeyPair, newKeyPair } from "./key-pair.js";
import { verifyLogoutPost, verifyLogoutRedirect } from "./logout.js";
import { authnRequest, logoutRequest, logoutResponse, newMessageId, postFields, redirectUrl } from "./messages.js";
import type { Trust } from "./protocol.js";

const nowMs = Date.parse("2026-03-04T05:06:07Z");
const head = { id: "_id", issuer: "https://assistant.example/m", destination: "https://idp.example/in?x=1&y=2", nowMs };
const asking = { ...head, acsUrl: "https://assistant.example/acs?a=1&b=2", nameIdFormat: "urn:f" };
const ending = { ...head, nameId: `<a & "b">`, nameIdFormat: undefined, sessionIndex: "_s" };
let key: KeyPair;

beforeAll(async () => {
  key = await newKeyPair("ourselves", nowMs);
});

describe("a message of ours", () => {
  test.each([
    ["AuthnRequest", authnRequest(asking)],
    ["AuthnRequest", authnRequest({ ...asking, nameIdFormat: null })],
    ["LogoutRequest", logoutRequest(ending)],
    ["LogoutRequest", logoutRequest({ ...ending, nameIdFormat: "urn:f", sessionIndex: undefined })],
    ["LogoutResponse", logoutResponse({ ...head, inResponseTo: "_their" })],
  ])("is what the standard's schema asks for, signed or not: %s", async (name, message) => {
    expect(await schemaErrors(message.text, "protocol")).toEqual([]);
    const fields = postFields(message, undefined, key);
    const posted = Buffer.from(fields[message.kind] ?? "", "base64").toString();
    expect(await schemaErrors(posted, "protocol")).toEqual([]);
    expect(readXml(posted).localName).toBe(name);
  });

  const xmlsec = hasXmlsec ? test : test.skip;
  const reason = hasXmlsec ? "" : " (skipped: xmlsec1 is not on the PATH)";

  xmlsec(`is verified by another implementation${reason}`, async () => {
    const { SAMLRequest = "" } = postFields(authnRequest(asking), undefined, key);
    const posted = Buffer.from(SAMLRequest, "base64").toString();
    await verifyWithXmlsec(posted, key.certificate, "urn:oasis:names:tc:SAML:2.0:protocol:AuthnRequest");
  });

  test("asks who somebody is: for us, at our address, in whatever way the provider thinks good", () => {
    const { kind, text } = authnRequest(asking);
    const root = readXml(text);
    expect(kind).toBe("SAMLRequest");
    expect(attributeOf(root, "AssertionConsumerServiceURL")).toBe(asking.acsUrl);
    expect(attributeOf(root, "Destination")).toBe(head.destination);
    expect(attributeOf(root, "IssueInstant")).toBe("2026-03-04T05:06:07.000Z");
    expect(text).not.toContain("RequestedAuthnContext");
  });

  test("is signed in the URL, over the octets that are sent, behind what the address has already", () => {
    const url = redirectUrl(authnRequest(asking), "state & more", key);
    expect(url.startsWith("https://idp.example/in?x=1&y=2&SAMLRequest=")).toBe(true);
    const [signed = "", signature = ""] = url.slice(url.indexOf("SAMLRequest=")).split("&Signature=");
    const verifier = createVerify("RSA-SHA256").update(signed);
    expect(verifier.verify(key.certificate, decodeURIComponent(signature), "base64")).toBe(true);
    const query = new URL(url).searchParams;
    expect(query.get("RelayState")).toBe("state & more");
    expect(inflateRawSync(Buffer.from(query.get("SAMLRequest") ?? "", "base64")).toString()).toBe(
      authnRequest(asking).text,
    );
  });

  test("has no relay state where there is none", () => {
    expect(redirectUrl(authnRequest(asking), undefined, key)).not.toContain("RelayState");
    expect(postFields(authnRequest(asking), undefined, key)).not.toHaveProperty("RelayState");
    expect(postFields(authnRequest(asking), "s", key)).toMatchObject({ RelayState: "s" });
  });

  test("is understood by a party that verifies as we do, in both bindings", async () => {
    const destination = "https://peer.example/slo";
    const trust: Trust = {
      entityId: head.issuer,
      certificates: [key.certificate],
      wantResponseSigned: true,
      allowCbc: false,
      clockSkewMs: 0,
      nameIdFormat: null,
    };
    const peer = { entityId: "https://peer.example", acsUrl: "", sloUrl: destination, decryptionKeys: [] };
    const message = logoutRequest({ ...ending, destination });
    const query = new URL(redirectUrl(message, "r", key)).search.slice(1);
    const expected = { ok: true, value: { nameId: ending.nameId, sessionIndexes: ["_s"] } };
    expect(await verifyLogoutRedirect(query, trust, peer, nowMs)).toMatchObject(expected);
    const { SAMLRequest = "" } = postFields(message, "r", key);
    expect(await verifyLogoutPost("SAMLRequest", SAMLRequest, trust, peer, nowMs)).toMatchObject(expected);
    const answer = logoutResponse({ ...head, destination, inResponseTo: "_id" });
    const { SAMLResponse = "" } = postFields(answer, undefined, key);
    expect(await verifyLogoutPost("SAMLResponse", SAMLResponse, trust, peer, nowMs)).toMatchObject({
      ok: true,
      value: { inResponseTo: "_id", complete: true },
    });
  });

  test("has an id that is a name in XML and that nobody guesses", () => {
    const ids = Array.from({ length: 100 }, newMessageId);
    expect(ids.every((id) => /^_[0-9a-f]{40}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(100);
  });
});
