import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  base64,
  openProvider,
  type Provider,
  responseText,
  type Signing,
  signed,
} from "../../testing/saml/provider.js";
import { signings } from "../../testing/saml/signing.js";
import { wrappings } from "../../testing/saml/wrapping.js";
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
