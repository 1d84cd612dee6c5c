import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  base64,
  DSIG,
  edit,
  openProvider,
  type Provider,
  responseText,
  SAML,
  type Signing,
  signed,
} from "../../testing/saml/provider.js";
import { signings } from "../../testing/saml/signing.js";
import { wrappings } from "../../testing/saml/wrapping.js";
import { hasXmlsec, signWithXmlsec } from "../../testing/saml/xml-oracles.js";
import type { Trust } from "../protocol/protocol.js";
import { verifyResponse } from "../protocol/response.js";

let provider: Provider;

beforeAll(async () => {
  provider = await openProvider();
});

async function verify(message: string, nowMs: number, trust: Partial<Trust> = {}) {
  const request = { id: "_request", createdAtMs: nowMs };
  return verifyResponse(message, { ...provider.trust, ...trust }, provider.ourselves, request, nowMs);
}

test.each<Signing>(["assertion", "both"])("what the attacks begin with is accepted (signed: %s)", async (signing) => {
  const nowMs = Date.now();
  const text = signed(responseText(provider, { inResponseTo: "_request", nowMs }), provider.key, signing);
  expect(await verify(base64(text), nowMs)).toMatchObject({ ok: true, value: { nameId: "ada" } });
});

/** Each: the prefixes that SignedInfo keeps, and those that the assertion keeps; all are declared outside of both. */
describe.each([
  ["", ""],
  ["xs", "xs"],
  ["xs samlp", ""],
  ["", "xs samlp"],
])("a signature of another implementation that keeps the prefixes (%s) and (%s)", (ofInfo, ofAssertion) => {
  const reason = hasXmlsec ? "" : " (skipped: xmlsec1 is not on PATH)";
  (hasXmlsec ? test : test.skip)(`is accepted${reason}`, async () => {
    const nowMs = Date.now();
    const plain = responseText(provider, { inResponseTo: "_request", nowMs });
    const declared = edit(plain, "<samlp:Response ", '<samlp:Response xmlns:xs="http://www.w3.org/2001/XMLSchema" ');
    const template = edit(declared, "<saml:Subject>", `${unsignedSignature(ofInfo, ofAssertion)}<saml:Subject>`);
    const text = await signWithXmlsec(template, provider.key.privateKey, `${SAML}:Assertion`);
    expect(await verify(base64(text), nowMs)).toMatchObject({ ok: true, value: { nameId: "ada" } });
  });
});

function unsignedSignature(ofInfo: string, ofAssertion: string): string {
  const exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";
  const kept = (prefixes: string) =>
    prefixes === "" ? "" : `<ec:InclusiveNamespaces xmlns:ec="${exclusive}" PrefixList="${prefixes}"/>`;
  return `<ds:Signature xmlns:ds="${DSIG}"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="${exclusive}">\
${kept(ofInfo)}</ds:CanonicalizationMethod><ds:SignatureMethod \
Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:Reference URI="#_assertion"><ds:Transforms>\
<ds:Transform Algorithm="${DSIG}enveloped-signature"/><ds:Transform Algorithm="${exclusive}">${kept(ofAssertion)}\
</ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue/>\
</ds:Reference></ds:SignedInfo><ds:SignatureValue/></ds:Signature>`;
}

test("a response of which nothing is signed but the whole is refused", async () => {
  const nowMs = Date.now();
  const text = signed(responseText(provider, { inResponseTo: "_request", nowMs }), provider.key, "response");
  expect(await verify(base64(text), nowMs)).toEqual({ ok: false, code: "unsigned" });
});

test("a response of which the whole is not signed is refused where the connection wants it", async () => {
  const nowMs = Date.now();
  const text = signed(responseText(provider, { inResponseTo: "_request", nowMs }), provider.key, "assertion");
  expect(await verify(base64(text), nowMs, { wantResponseSigned: true })).toEqual({ ok: false, code: "unsigned" });
});

describe.each([
  ["moved", wrappings()],
  ["changed", signings()],
])("a response with a signature that is %s", (_, attacks) => {
  test.each(attacks.map((attack) => [attack.name, attack] as const))("is refused: %s", async (_name, attack) => {
    const nowMs = Date.now();
    const message = await attack.message(provider, { inResponseTo: "_request", nowMs });
    expect(await verify(message, nowMs, attack.trust)).toEqual({ ok: false, code: attack.code });
  });
});

test("what nobody whom we know has signed is refused at once, however much it is", async () => {
  const nowMs = Date.now();
  const many = `<saml:AttributeValue>${"<a/>".repeat(2_400)}</saml:AttributeValue>`.repeat(4);
  const attributes = `<saml:Attribute Name="x">${many}</saml:Attribute>`;
  const text = signed(responseText(provider, { inResponseTo: "_request", nowMs, attributes }), provider.key, "both");
  const message = base64(text);
  const others = Array.from({ length: 5 }, () => provider.foreign.certificate);
  const startedMs = performance.now();
  expect(await verify(message, nowMs, { certificates: others })).toEqual({ ok: false, code: "signature" });
  expect(performance.now() - startedMs).toBeLessThan(2_000);
}, 60_000);
