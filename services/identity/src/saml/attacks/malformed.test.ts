import { beforeAll, expect, test } from "@jest/globals";
import { malformed } from "../../testing/saml/malformed.js";
import { openProvider, type Provider } from "../../testing/saml/provider.js";
import { readResponse, verifyResponse } from "../protocol/response.js";

let provider: Provider;

beforeAll(async () => {
  provider = await openProvider();
});

// Far above what any row takes, far below what one that explodes would take.
const BOUND_MS = 2_000;

test.each(malformed().map((attack) => [attack.name, attack] as const))(
  "a malformed message is refused at once, before anybody asks whom it is from: %s",
  async (_name, attack) => {
    const nowMs = Date.now();
    const message = await attack.message(provider, { inResponseTo: "_request", nowMs });
    const startedMs = performance.now();
    expect(await readResponse(message)).toEqual({ ok: false, code: attack.code });
    expect(performance.now() - startedMs).toBeLessThan(BOUND_MS);
    const request = { id: "_request", createdAtMs: nowMs };
    const verdict = await verifyResponse(message, provider.trust, provider.ourselves, request, nowMs);
    expect(verdict).toEqual({ ok: false, code: attack.code });
  },
);
