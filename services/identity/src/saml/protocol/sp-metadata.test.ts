import { createPublicKey, X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { edit } from "../../testing/saml/provider.js";
import { hasXmlsec, schemaErrors, verifyWithXmlsec } from "../../testing/saml/xml-oracles.js";
import { allOf, attributeOf, childrenOf, readXml } from "./dom.js";
import { type KeyPair, newKeyPair } from "./key-pair.js";
import { signedBytes } from "./signed-bytes.js";
import { spMetadata } from "./sp-metadata.js";

const nowMs = Date.parse("2026-03-04T05:06:07Z");
let active: KeyPair & { expiresAt: Date };
let next: KeyPair;
let old: KeyPair;

beforeAll(async () => {
  [active, next, old] = await Promise.all([
    newKeyPair("https://assistant.example", nowMs),
    newKeyPair("next", nowMs),
    newKeyPair("old", nowMs),
  ]);
});

function metadata(atMs = nowMs, entityId = "https://assistant.example/saml/metadata"): string {
  const urls = { acsUrl: "https://assistant.example/acs", sloUrl: "https://assistant.example/slo" };
  return spMetadata({ entityId, ...urls, signing: [active, next], encryption: [active, old], nowMs: atMs });
}

describe("our metadata", () => {
  test("is what the standard's schema asks for, in its order", async () => {
    expect(await schemaErrors(metadata(), "metadata")).toEqual([]);
    const misplaced = metadata().replace(/(<md:KeyDescriptor.*<\/md:KeyDescriptor>)(<md:SingleLogout[^>]*>)/, "$2$1");
    expect(await schemaErrors(misplaced, "metadata")).not.toEqual([]);
  });

  test("is signed with the active key, before all else that is in it", () => {
    const root = readXml(metadata());
    expect(childrenOf(root)[0]?.localName).toBe("Signature");
    expect(signedBytes(metadata(), root, [active.certificate])).toContain("assistant.example");
    expect(() => signedBytes(metadata(), root, [next.certificate])).toThrow("signature");
    const changed = edit(metadata(), "assistant.example/acs", "other.example/acs");
    expect(() => signedBytes(changed, readXml(changed), [active.certificate])).toThrow("signature");
  });

  const xmlsec = hasXmlsec ? test : test.skip;
  const reason = hasXmlsec ? "" : " (skipped: xmlsec1 is not on the PATH)";

  xmlsec(`is verified by another implementation${reason}`, async () => {
    const idElement = "urn:oasis:names:tc:SAML:2.0:metadata:EntityDescriptor";
    await verifyWithXmlsec(metadata(), active.certificate, idElement);
    await expect(verifyWithXmlsec(metadata(), next.certificate, idElement)).rejects.toThrow();
    const changed = edit(metadata(), "assistant.example/acs", "other.example/acs");
    await expect(verifyWithXmlsec(changed, active.certificate, idElement)).rejects.toThrow();
  });

  test("names the keys that sign now and soon, and those that it may be encrypted for", () => {
    const keys = allOf(readXml(metadata())).filter(({ localName }) => localName === "KeyDescriptor");
    const named = keys.map((key) => [attributeOf(key, "use"), (key.textContent ?? "").trim()]);
    const bare = ({ certificate }: KeyPair) => certificate.replace(/-----.*?-----|\s/g, "");
    expect(named).toEqual([
      ["signing", bare(active)],
      ["signing", bare(next)],
      ["encryption", bare(active)],
      ["encryption", bare(old)],
    ]);
  });

  test("asks for signed assertions, promises signed requests, and offers ways to encrypt that are safe", () => {
    expect(metadata()).toContain('AuthnRequestsSigned="true" WantAssertionsSigned="true"');
    const methods = allOf(readXml(metadata())).filter(({ localName }) => localName === "EncryptionMethod");
    expect([...new Set(methods.map((method) => attributeOf(method, "Algorithm")))]).toEqual([
      "http://www.w3.org/2009/xmlenc11#aes256-gcm",
      "http://www.w3.org/2009/xmlenc11#aes128-gcm",
      "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
    ]);
  });

  test("has one address for assertions, and one for logout in two bindings", () => {
    const endpoints = allOf(readXml(metadata())).filter((element) => attributeOf(element, "Binding") !== undefined);
    expect(endpoints.map((endpoint) => [endpoint.localName, attributeOf(endpoint, "Location")])).toEqual([
      ["SingleLogoutService", "https://assistant.example/slo"],
      ["SingleLogoutService", "https://assistant.example/slo"],
      ["AssertionConsumerService", "https://assistant.example/acs"],
    ]);
  });

  test("is the same all day, holds for a week, and is another the next day", () => {
    const midnight = Date.parse("2026-03-05T00:00:00Z");
    expect(metadata(midnight - 1)).toBe(metadata());
    expect(metadata()).toContain('validUntil="2026-03-11T00:00:00.000Z"');
    expect(metadata()).toContain('cacheDuration="PT24H"');
    const idOf = (text: string) => attributeOf(readXml(text), "ID");
    expect(idOf(metadata(midnight))).not.toBe(idOf(metadata()));
  });

  test("says our names as they are, whatever characters they have", async () => {
    const name = `https://assistant.example/?a=1&b="<'>`;
    expect(attributeOf(readXml(metadata(nowMs, name)), "entityID")).toBe(name);
  });
});

describe("a new key", () => {
  test("is RSA of 3,072 bits with a certificate of its own for three years", () => {
    const certificate = new X509Certificate(active.certificate);
    expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength).toBe(3_072);
    expect(certificate.publicKey.equals(createPublicKey(active.privateKey))).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.subject).toBe("CN=https://assistant.example");
    expect(new Date(certificate.validFrom).getTime()).toBe(nowMs);
    expect(new Date(certificate.validTo)).toEqual(new Date("2029-03-04T05:06:07Z"));
    expect(active.expiresAt).toEqual(new Date("2029-03-04T05:06:07Z"));
  });

  test("has a serial number of its own", () => {
    const serials = [active, next, old].map(({ certificate }) => new X509Certificate(certificate).serialNumber);
    expect(new Set(serials).size).toBe(3);
  });
});
