import { until } from "@assistant/kit/testing/until.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { base64, openProvider, type Provider, responseText, signed } from "../../testing/saml/provider.js";
import type { SamlWorkers } from "./protocol.js";
import { startSamlWorkers } from "./workers.js";

let provider: Provider;
let workers: SamlWorkers;

beforeAll(async () => {
  provider = await openProvider();
  workers = startSamlWorkers();
});

afterAll(() => workers.close());

function response(nowMs: number, attributes = ""): string {
  const said = { inResponseTo: "_request", nowMs, attributes };
  return base64(signed(responseText(provider, said), provider.key, "both"));
}

describe("the threads", () => {
  test("answer as the functions that they run, types and all", async () => {
    const nowMs = Date.now();
    const request = { id: "_request", createdAtMs: nowMs };
    const message = response(nowMs);
    expect(await workers.readResponse(message)).toEqual({
      ok: true,
      value: { inResponseTo: "_request", issuer: provider.entityId },
    });
    const verdict = await workers.verifyResponse(message, provider.trust, provider.ourselves, request, nowMs);
    expect(verdict).toMatchObject({ ok: true, value: { nameId: "ada", validUntil: new Date(nowMs + 360_000) } });
    const value = verdict.ok ? verdict.value : undefined;
    expect(value?.attributes).toEqual(new Map([["email", ["ada@example.com"]]]));
    expect(Buffer.isBuffer(value?.assertionHash)).toBe(true);
  });

  test("refuse what is hostile and go on", async () => {
    expect(await workers.readResponse("!")).toEqual({ ok: false, code: "encoding" });
    expect(await workers.readLogoutRedirect("a=b")).toEqual({ ok: false, code: "query" });
    expect(await workers.readLogoutPost("SAMLRequest", base64("<a/>"))).toEqual({ ok: false, code: "root" });
    expect(await workers.readIdpMetadata("<a/>", 0)).toEqual({ ok: false, code: "root" });
    const { trust, ourselves } = provider;
    expect(await workers.verifyLogoutRedirect("a=b", trust, ourselves, 0)).toEqual({ ok: false, code: "query" });
    const posted = await workers.verifyLogoutPost("SAMLRequest", base64("<a/>"), trust, ourselves, 0);
    expect(posted).toEqual({ ok: false, code: "root" });
    expect(await workers.readResponse(response(Date.now()))).toMatchObject({ ok: true });
  });

  test("are full with 68 messages: the next is told to come again", async () => {
    const nowMs = Date.now();
    const many = Array.from({ length: 200 }, () => workers.readResponse(sameResponse(nowMs)));
    const outcomes = await Promise.allSettled(many);
    const faults = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(faults.length).toBeGreaterThanOrEqual(200 - 68);
    expect(faults.every((fault) => fault instanceof Fault && fault.kind === "unavailable")).toBe(true);
    expect(await workers.readResponse(sameResponse(nowMs))).toMatchObject({ ok: true });
  });
});

test("a thread that takes too long is ended and replaced", async () => {
  const hasty = startSamlWorkers({ deadlineMs: 300 });
  const nowMs = Date.now();
  const request = { id: "_request", createdAtMs: nowMs };
  const values = "<saml:AttributeValue>g</saml:AttributeValue>".repeat(1_999);
  const long = response(nowMs, `<saml:Attribute Name="groups">${values}</saml:Attribute>`);
  const verify = () => hasty.verifyResponse(long, provider.trust, provider.ourselves, request, nowMs);
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, verify));
  expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => "rejected"));
  await until(async () => !(await hasty.readResponse("!")).ok, 20_000);
  await hasty.close();
});

let made: string | undefined;

function sameResponse(nowMs: number): string {
  made ??= response(nowMs);
  return made;
}
