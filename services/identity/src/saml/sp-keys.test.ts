import { X509Certificate } from "node:crypto";
import { nobody } from "@assistant/kit/database/origin.js";
import { quiet } from "@assistant/kit/testing.js";
import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { wrongKeyring } from "../signing-key.js";
import { openOrg, present, refusal, rootOf } from "../testing/people.js";
import { newKeyring, openPlatform, type Platform } from "../testing/platform.js";
import { spKeys } from "./sp-keys.js";
import { keepUp } from "./upkeep.js";

const DAY_MS = 86_400_000;

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
}, 60_000);

afterAll(async () => platform?.close());

const entityId = "https://assistant.example/saml/metadata";

/** The keys as a replica sees them. */
function replica(keyring = platform.keyring) {
  const { db, clock } = platform;
  return spKeys({ db, clock, keyring, entityId });
}

async function metadata(): Promise<string> {
  const { metadata } = await platform.bearer("").ask(rpcs.getSamlMetadata, {});
  return Buffer.from(present(metadata).content).toString();
}

const certificatesIn = (xml: string, use: string) =>
  [...xml.matchAll(new RegExp(`use="${use}">.*?<ds:X509Certificate>([^<]+)<`, "g"))].map(([, base64]) => base64);
const bare = (pem: string) => pem.replace(/-----(BEGIN|END) CERTIFICATE-----|\s/g, "");

describe("the platform's SAML key", () => {
  test("is made once, however many replicas start at once, and is sealed", async () => {
    await Promise.all([1, 2, 3].map(() => replica().prepare(nobody)));
    const rows = await platform.db.query<{ private_sealed: Buffer }>(
      "t_keys",
      "select private_sealed from saml_sp_keys",
      [],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.private_sealed.toString("latin1")).not.toContain("PRIVATE KEY");
  });

  test("is RSA of 3,072 bits, good for three years", async () => {
    const { certificate } = await replica().signer();
    const read = new X509Certificate(certificate);
    expect(read.publicKey.asymmetricKeyDetails?.modulusLength).toBe(3_072);
    const years = (Date.parse(read.validTo) - Date.parse(read.validFrom)) / (365.25 * DAY_MS);
    expect(years).toBeCloseTo(3, 1);
  });

  test("opens with the right keyring only", async () => {
    await expect(replica(newKeyring()).prepare(nobody)).rejects.toBe(wrongKeyring);
  });

  test("stands in our metadata, for signing and for encryption, without a token", async () => {
    const { certificate } = await replica().signer();
    const xml = await metadata();
    expect(certificatesIn(xml, "signing")).toEqual([bare(certificate)]);
    expect(certificatesIn(xml, "encryption")).toEqual([bare(certificate)]);
    expect(xml).toContain(`entityID="${platform.issuer}/saml/metadata"`);
  });

  test("our metadata keeps its tag as long as it says the same", async () => {
    const ask = async () => present((await platform.bearer("").ask(rpcs.getSamlMetadata, {})).metadata);
    const [one, other] = [await ask(), await ask()];
    expect([other.etag, other.media_type]).toEqual([one.etag, "application/samlmetadata+xml"]);
    expect(one.etag).toMatch(/^[\w-]{43}$/);
  });
});

describe("another key", () => {
  test("is for platform admins to ask for", async () => {
    const admin = await openOrg(platform);
    expect((await refusal(admin.ask(rpcs.rotateSamlKeys, {}))).kind).toBe("denied");
  });

  test("is published at once, signs a day later, and the former one decrypts for 30 days more", async () => {
    const former = await replica().signer();
    const root = await rootOf(platform);
    const { items } = await root.ask(rpcs.rotateSamlKeys, {});
    expect(items).toHaveLength(2);
    expect(JSON.stringify(items)).not.toContain("PRIVATE");
    const [next] = items;
    expect((await replica().published()).map(({ certificate }) => certificate)).toEqual([
      former.certificate,
      next?.certificate,
    ]);
    // One at a time: providers must have read of it first.
    expect(await refusal(root.ask(rpcs.rotateSamlKeys, {}))).toEqual({ kind: "conflict", at: [": conflict"] });
    expect((await replica().signer()).certificate).toBe(former.certificate);
    platform.wait(DAY_MS + 1_000);
    expect((await replica().signer()).certificate).toBe(next?.certificate);
    expect(await replica().decryptionKeys()).toContain(former.privateKey);
    expect((await replica().published()).map(({ certificate }) => certificate)).toEqual([next?.certificate]);
    platform.wait(30 * DAY_MS);
    expect(await replica().decryptionKeys()).not.toContain(former.privateKey);
  });

  test("is made 60 days before the certificate expires, once, by whichever replica comes first", async () => {
    const round = () => {
      const { db, clock, keyring, saml } = platform;
      const relay = { wake: () => undefined };
      return keepUp({ db, clock, keyring, entityId, relay, log: quiet, metadata: saml.tools.metadata });
    };
    const count = async () => (await platform.db.query("t_count", "select from saml_sp_keys", [])).length;
    await round();
    expect(await count()).toBe(1);
    platform.wait(3 * 365 * DAY_MS - 59 * DAY_MS);
    await Promise.all([round(), round(), round()]);
    expect(await count()).toBe(2);
  });
});
