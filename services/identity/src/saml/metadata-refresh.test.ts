import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { quiet } from "@assistant/kit/testing.js";
import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { openOrg, type Person, personOf, present, refusal } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { openProvider, type Provider } from "../testing/saml/provider.js";
import { providerMetadata } from "../testing/saml/site.js";
import { nextReading } from "./metadata-import.js";
import { refreshMetadata } from "./metadata-refresh.js";

const HOUR_MS = 3_600_000;

let platform: Platform;
let admin: Person;
let provider: Provider;
let server: Server;
let url: string;
let published: string;
let asked = 0;
let connectionId: string;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await openOrg(platform);
  provider = await openProvider();
  published = providerMetadata(provider);
  server = createServer((_request, response) => {
    asked += 1;
    response.end(published);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`;
  const request = { slug: "read", metadata_url: url, certificates: [], group_mapping: [], jit: true };
  connectionId = present((await admin.ask(rpcs.createSamlConnection, request)).saml_connection).id;
}, 60_000);

beforeEach(() => {
  asked = 0;
});

afterAll(async () => {
  server?.close();
  await platform?.close();
});

function refresh(): Promise<void> {
  const { db, clock, saml } = platform;
  return refreshMetadata({ db, clock, relay: { wake: () => undefined }, metadata: saml.tools.metadata, log: quiet });
}

async function connection() {
  // Tokens do not last as long as metadata.
  const again = await personOf(platform, admin.email);
  const { answer, reply } = await again.exchange(rpcs.getSamlConnection, { connection_id: connectionId });
  return { ...present(answer.saml_connection), version: reply.version };
}

describe("the metadata of a provider", () => {
  test("is read again when it is due, once among all replicas", async () => {
    await refresh();
    expect(asked).toBe(0);
    platform.wait(25 * HOUR_MS);
    await Promise.all([refresh(), refresh(), refresh()]);
    expect(asked).toBe(1);
    expect((await connection()).version).toBe(1);
  });

  test("changes the connection where it has changed, and nothing else of it", async () => {
    published = providerMetadata(provider, "https://moved.example/sso");
    platform.wait(25 * HOUR_MS);
    await refresh();
    expect(await connection()).toMatchObject({
      sso_url: "https://moved.example/sso",
      jit: true,
      slug: "read",
      version: 2,
    });
  });

  test.each<[string, () => string]>([
    ["cannot be read", () => "<broken"],
    ["is another provider's", () => providerMetadata({ ...provider, entityId: "https://evil.example" })],
    [
      "says nothing of certificates",
      () => providerMetadata(provider).replace(/<md:KeyDescriptor.*<\/md:KeyDescriptor>/, ""),
    ],
    ["leads away from https", () => providerMetadata(provider, "http://idp.example/sso")],
  ])("that %s leaves in use what was read before, and the connection says so", async (_, publish) => {
    published = publish();
    platform.wait(25 * HOUR_MS);
    await refresh();
    const { sso_url, metadata_failure, version } = await connection();
    expect({ sso_url, version }).toEqual({ sso_url: "https://moved.example/sso", version: 2 });
    expect(metadata_failure).toEqual(expect.any(String));
    published = providerMetadata(provider, "https://moved.example/sso");
    platform.wait(2 * HOUR_MS);
    await refresh();
    expect((await connection()).metadata_failure).toBeUndefined();
  });

  test("is due after half of its life, within one hour and a day", () => {
    const inMs = (lifeMs: number | undefined) =>
      nextReading(lifeMs === undefined ? undefined : new Date(lifeMs), 0).getTime() / HOUR_MS;
    expect([undefined, HOUR_MS, 4 * HOUR_MS, 96 * HOUR_MS].map(inMs)).toEqual([24, 1, 2, 24]);
  });

  test("that stands at an address inside is not fetched for an admin", async () => {
    const request = { connection_id: connectionId, metadata_url: "https://169.254.169.254/" };
    const again = await personOf(platform, admin.email);
    expect(await refusal(again.ask(rpcs.importSamlMetadata, request))).toEqual({
      kind: "invalid",
      at: ["metadata_url: value_error"],
    });
  });
});
