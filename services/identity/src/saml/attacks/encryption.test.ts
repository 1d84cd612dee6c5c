import { beforeAll, describe, expect, test } from "@jest/globals";
import { encryptedResponse, encryptions } from "../../testing/saml/encryption.js";
import { base64, openProvider, type Provider } from "../../testing/saml/provider.js";
import type { Ourselves, Trust } from "../protocol/protocol.js";
import { verifyResponse } from "../protocol/response.js";

let provider: Provider;

beforeAll(async () => {
  provider = await openProvider();
});

function verify(message: string, nowMs: number, trust: Partial<Trust> = {}, ourselves: Partial<Ourselves> = {}) {
  const request = { id: "_request", createdAtMs: nowMs };
  const us = { ...provider.ourselves, ...ourselves };
  return verifyResponse(message, { ...provider.trust, ...trust }, us, request, nowMs);
}

describe("an encrypted assertion is refused", () => {
  test.each(encryptions().map((attack) => [attack.name, attack] as const))("%s", async (_name, attack) => {
    const nowMs = Date.now();
    const message = await attack.message(provider, { inResponseTo: "_request", nowMs });
    expect(await verify(message, nowMs, attack.trust)).toEqual({ ok: false, code: attack.code });
  });
});

describe("an encrypted assertion is accepted", () => {
  const rows: [string, "assertion" | "both", string, Partial<Trust>][] = [
    ["with AES-256-GCM", "assertion", "http://www.w3.org/2009/xmlenc11#aes256-gcm", {}],
    ["with AES-128-GCM", "assertion", "http://www.w3.org/2009/xmlenc11#aes128-gcm", {}],
    ["in a signed response", "both", "http://www.w3.org/2009/xmlenc11#aes128-gcm", { wantResponseSigned: true }],
    [
      "with CBC, if allowed, in a signed response",
      "both",
      "http://www.w3.org/2001/04/xmlenc#aes128-cbc",
      { allowCbc: true },
    ],
    [
      "with longer CBC, if allowed, in a signed response",
      "both",
      "http://www.w3.org/2001/04/xmlenc#aes256-cbc",
      { allowCbc: true },
    ],
  ];

  test.each(rows)("%s", async (_name, signing, algorithm, trust) => {
    const nowMs = Date.now();
    const text = await encryptedResponse(provider, { inResponseTo: "_request", nowMs }, signing, algorithm);
    expect(await verify(base64(text), nowMs, trust)).toMatchObject({ ok: true, value: { nameId: "ada" } });
  });

  test("for a key that is on its way out", async () => {
    const nowMs = Date.now();
    const text = await encryptedResponse(provider, { inResponseTo: "_request", nowMs }, "assertion");
    const decryptionKeys = [provider.foreign.privateKey, provider.ourKey.privateKey];
    expect(await verify(base64(text), nowMs, {}, { decryptionKeys })).toMatchObject({ ok: true });
  });
});

test("a CBC ciphertext is not opened before the signature over it holds", async () => {
  const nowMs = Date.now();
  const cbc = "http://www.w3.org/2001/04/xmlenc#aes128-cbc";
  const text = await encryptedResponse(provider, { inResponseTo: "_request", nowMs }, "both", cbc);
  const changed = text.replace(/(?<=<xenc:CipherValue>).{8}/, "AAAAAAAA");
  expect(await verify(base64(changed), nowMs, { allowCbc: true })).toEqual({ ok: false, code: "signature" });
});
