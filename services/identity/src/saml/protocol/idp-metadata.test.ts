import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import forge from "node-forge";
import { at, edit } from "../../testing/saml/provider.js";
import { readIdpMetadata } from "./idp-metadata.js";
import { newKeyPair } from "./key-pair.js";
import type { RefusalCode } from "./refusal.js";

const nowMs = Date.now();
const BINDINGS = "urn:oasis:names:tc:SAML:2.0:bindings:";
let certificate: string;
let good: string;

beforeAll(async () => {
  certificate = (await newKeyPair("provider", nowMs)).certificate;
  const key = `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>\
<ds:X509Certificate>${bare(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
  good = `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example" \
validUntil="${at(nowMs + 1_000)}"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${key}\
<md:SingleLogoutService Binding="${BINDINGS}HTTP-Redirect" Location="https://idp.example/slo" \
ResponseLocation="https://idp.example/slo/done"/>\
<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>\
<md:SingleSignOnService Binding="${BINDINGS}HTTP-POST" Location="https://idp.example/post"/>\
<md:SingleSignOnService Binding="${BINDINGS}HTTP-Redirect" Location="https://idp.example/sso"/>\
</md:IDPSSODescriptor></md:EntityDescriptor>`;
});

const bare = (pem: string) => pem.replace(/-----.*?-----|\s/g, "");

function otherCertificate(type: "small" | "ec"): string {
  if (type === "ec") {
    // A certificate with an elliptic key, made once: the library that issues ours makes none.
    return EC_CERTIFICATE;
  }
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 1_024,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const key = forge.pki.privateKeyFromPem(privateKey);
  const small = forge.pki.createCertificate();
  small.publicKey = forge.pki.setRsaPublicKey(key.n, key.e);
  small.sign(key, forge.md.sha256.create());
  return bare(forge.pki.certificateToPem(small));
}

describe("metadata of a provider", () => {
  test("says where to send whom, and who signs", async () => {
    expect(await readIdpMetadata(good, nowMs)).toEqual({
      ok: true,
      value: {
        entityId: "https://idp.example",
        sso: { url: "https://idp.example/sso", binding: "redirect" },
        slo: { url: "https://idp.example/slo", binding: "redirect", responseUrl: "https://idp.example/slo/done" },
        certificates: [certificate],
        nameIdFormats: ["urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"],
        validUntil: new Date(nowMs + 1_000),
      },
    });
  });

  test.each<[string, (text: string) => string, object]>([
    ["with comments and a declaration", (text) => `<?xml version="1.0"?><!-- ours -->${text}`, {}],
    ["with a byte order mark", (text) => `\uFEFF${text}`, {}],
    ["without end", (text) => edit(text, / validUntil="[^"]*"/, ""), { validUntil: undefined }],
    ["without logout", (text) => edit(text, /<md:SingleLogoutService[^>]*>/, ""), { slo: undefined }],
    [
      "with POST alone",
      (text) => edit(text, /<md:SingleSignOnService Binding="[^"]*Redirect"[^>]*>/, ""),
      { sso: { binding: "post" } },
    ],
    ["with a key for everything", (text) => edit(text, ' use="signing"', ""), {}],
    [
      "with the key in lines",
      (text) => edit(text, /(?<=<ds:X509Certificate>).{64}/, `\n${bare(certificate).slice(0, 64)}\n`),
      {},
    ],
    [
      "with http on this machine",
      (text) => edit(text, "https://idp.example/sso", "http://127.0.0.1:9/sso"),
      { sso: { url: "http://127.0.0.1:9/sso" } },
    ],
    [
      "with a second key, for encryption, that is elliptic",
      (text) => edit(text, "<md:SingleLogout", `${key("encryption", otherCertificate("ec"))}<md:SingleLogout`),
      {},
    ],
    ["of 100 KiB", (text) => text.padEnd(102_400), {}],
  ])("is read %s", async (_name, change, expected) => {
    expect(await readIdpMetadata(change(good), nowMs)).toMatchObject({ ok: true, value: expected });
  });

  test.each<[string, RefusalCode, (text: string) => string]>([
    ["over 100 KiB", "too_large", (text) => text.padEnd(102_401)],
    ["with a document type", "markup_forbidden", (text) => `<!DOCTYPE x>${text}`],
    ["with an entity", "markup_forbidden", (text) => edit(text, "https://idp.example/sso", "&x;")],
    ["that is no XML", "not_well_formed", () => "hello"],
    [
      "of several providers",
      "root",
      (text) =>
        `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${text}</md:EntitiesDescriptor>`,
    ],
    [
      "of two roles",
      "descriptor",
      (text) => edit(text, "</md:EntityDescriptor>", "<md:IDPSSODescriptor/></md:EntityDescriptor>"),
    ],
    ["of a service", "descriptor", (text) => text.replaceAll("IDPSSODescriptor", "SPSSODescriptor")],
    ["of SAML 1.1", "descriptor", (text) => edit(text, "SAML:2.0:protocol", "SAML:1.1:protocol")],
    ["without a name", "descriptor", (text) => edit(text, "https://idp.example", "")],
    ["with a long name", "descriptor", (text) => edit(text, "https://idp.example", "u".repeat(1_025))],
    ["that has ended", "metadata_expired", (text) => edit(text, /validUntil="[^"]*"/, `validUntil="${at(nowMs)}"`)],
    ["that ends some time", "metadata_expired", (text) => edit(text, /validUntil="[^"]*"/, 'validUntil="soon"')],
    ["without a way to sign in", "endpoint", (text) => text.replaceAll(/<md:SingleSignOnService[^>]*>/g, "")],
    ["with http", "endpoint", (text) => edit(text, "https://idp.example/sso", "http://idp.example/sso")],
    ["with a script", "endpoint", (text) => edit(text, "https://idp.example/sso", "javascript:alert(1)")],
    ["with a password", "endpoint", (text) => edit(text, "https://idp.example/sso", "https://a:b@idp.example/sso")],
    [
      "with a host that looks like this machine",
      "endpoint",
      (text) => edit(text, "https://idp.example/sso", "http://127.0.0.1.example/sso"),
    ],
    [
      "with a bad address for logout",
      "endpoint",
      (text) => edit(text, "https://idp.example/slo/done", "ftp://idp.example"),
    ],
    ["without a key", "certificate", (text) => edit(text, /<md:KeyDescriptor.*<\/md:KeyDescriptor>/, "")],
    ["with a key for encryption alone", "certificate", (text) => edit(text, 'use="signing"', 'use="encryption"')],
    ["with a key that is none", "certificate", (text) => edit(text, /(?<=<ds:X509Certificate>)[^<]*/, "AAAA")],
    [
      "with a key of 1,024 bits",
      "certificate",
      (text) => edit(text, /(?<=<ds:X509Certificate>)[^<]*/, otherCertificate("small")),
    ],
    [
      "with an elliptic key",
      "certificate",
      (text) => edit(text, /(?<=<ds:X509Certificate>)[^<]*/, otherCertificate("ec")),
    ],
  ])("is refused %s", async (_name, code, change) => {
    expect(await readIdpMetadata(change(good), nowMs)).toEqual({ ok: false, code });
  });

  test("is read with five keys and refused with six", async () => {
    const more = await Promise.all(Array.from({ length: 5 }, () => newKeyPair("provider", nowMs)));
    const withKeys = (count: number) => {
      const keys = more.slice(0, count - 1).map((pair) => key("signing", bare(pair.certificate)));
      return edit(good, "<md:SingleLogout", `${keys.join("")}<md:SingleLogout`);
    };
    expect(await readIdpMetadata(withKeys(5), nowMs)).toMatchObject({ ok: true });
    expect(await readIdpMetadata(withKeys(6), nowMs)).toEqual({ ok: false, code: "certificate" });
  });
});

function key(use: string, text: string): string {
  return `<md:KeyDescriptor use="${use}"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>\
<ds:X509Certificate>${text}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
}

const EC_CERTIFICATE =
  "MIIBcTCCARegAwIBAgIUAP6HE/rP+kDyPCGkRNIzOxmLBA8wCgYIKoZIzj0EAwIwDTELMAkGA1UEAwwCZWMwIBcNMjYxMTIxMTkyODUzWhgPMjEyNjEwMjgxOTI4NTNaMA0xCzAJBgNVBAMMAmVjMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEUi+8yvmOUd1QVD3o4AKBQ+8TwSpxNQO4lk0kwp2tTYOOpia8us7QedexbsevVwNImeKwB5/3Nt9RduQ/d0EqI6NTMFEwHQYDVR0OBBYEFG9yaVL4q+mXdTBMaWM3OjcI1+UnMB8GA1UdIwQYMBaAFG9yaVL4q+mXdTBMaWM3OjcI1+UnMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgZpt1WSjl+WESvSutAgQ2Qz7Uel4Cz1YdFS5SSaAlKwcCIQDubucfwU+4lNgW4FV3ZjQY4pn2nXYjl4hJ5dBUouYOFA==";
