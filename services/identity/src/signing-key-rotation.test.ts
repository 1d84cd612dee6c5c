import { nobody } from "@assistant/kit/database/origin.js";
import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import { createTestDatabase, quiet, type TestDatabase } from "@assistant/kit/testing.js";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createLocalJWKSet, jwtVerify, SignJWT } from "jose";
import { renewSigningKey, sweepSessions } from "./session-sweep.js";
import { wrongKeyring } from "./signing-key.js";
import { rotateSigningKey } from "./signing-key-rotation.js";
import { type SigningKeys, signingKeys } from "./signing-keys.js";
import { migrations } from "./store/migrations/index.js";
import { newKeyring } from "./testing/platform.js";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let database: TestDatabase;
let replicas: Postgres[];
let db: Postgres;
let nowMs: number;
let keyring = newKeyring();
const clock = () => nowMs;

beforeEach(async () => {
  database = await createTestDatabase(migrations);
  replicas = [1, 2, 3].map(() => openPostgres({ url: database.url, poolMax: 2, log: quiet }));
  db = replicas[0] ?? openPostgres({ url: database.url, poolMax: 2, log: quiet });
  nowMs = Date.now();
  keyring = newKeyring();
});

afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await database.close();
});

async function prepared(of = db): Promise<SigningKeys> {
  const keys = signingKeys({ db: of, keyring, clock });
  await keys.prepare(nobody);
  return keys;
}

const rotate = (of = db, maxAgeMs?: number) => rotateSigningKey({ db: of, keyring, clock }, nobody, maxAgeMs);
const sizes = async (keys: SigningKeys) => (await keys.published()).length;

describe("a rotation", () => {
  test("refuses no token: one by each key verifies from its making to its end, with keys up to ten minutes old", async () => {
    // A service fetches the keys every ten minutes; a replica of identity reads them again twice a minute.
    const keys = await prepared();
    let service = { keys: await keys.published(), fetchedAtMs: nowMs };
    const tokens: { token: string; kid: string; expiresAtMs: number }[] = [];
    await rotate();
    for (let minute = 0; minute < 70; minute += 1) {
      const { kid, privateKey } = await keys.signer();
      const exp = Math.floor(nowMs / 1_000) + 600;
      const token = await new SignJWT({ exp }).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey);
      tokens.push({ token, kid, expiresAtMs: exp * 1_000 });
      if (nowMs - service.fetchedAtMs >= 10 * MINUTE_MS) {
        service = { keys: await keys.published(), fetchedAtMs: nowMs };
      }
      await sweepSessions(db, nowMs);
      const find = createLocalJWKSet({ keys: service.keys.map((key) => ({ ...key })) });
      for (const { token: held } of tokens.filter(({ expiresAtMs }) => expiresAtMs > nowMs)) {
        await jwtVerify(held, find, { currentDate: new Date(nowMs) });
      }
      nowMs += MINUTE_MS;
    }
    expect(new Set(tokens.map(({ kid }) => kid)).size).toBe(2);
    expect(await sizes(keys)).toBe(1);
  });

  test("publishes the new key at once, signs with it half an hour later, and keeps the old one 15 minutes more", async () => {
    const keys = await prepared();
    const { kid: old } = await keys.signer();
    const signsFrom = await rotate();
    expect(signsFrom).toEqual(new Date(nowMs + 30 * MINUTE_MS));
    nowMs += 30_000;
    expect(await sizes(keys)).toBe(2);
    nowMs += 30 * MINUTE_MS - 31_000;
    expect((await keys.signer()).kid).toBe(old);
    nowMs += 1_000;
    expect((await keys.signer()).kid).not.toBe(old);
    nowMs += 15 * MINUTE_MS - 1_000;
    expect(await sizes(keys)).toBe(2);
    nowMs += 31_000;
    expect(await sizes(keys)).toBe(1);
  });

  test("by three replicas at once makes one new key, and none while one waits", async () => {
    await prepared();
    const made = await Promise.all([...replicas, ...replicas].map((replica) => rotate(replica)));
    expect(made.filter((signsFrom) => signsFrom !== undefined)).toHaveLength(1);
    expect(await rotate()).toBeUndefined();
    nowMs += 30 * MINUTE_MS;
    expect(await rotate()).toBeDefined();
  });

  test("removes the private half of a key with the key, once its last token has run out", async () => {
    const keys = await prepared();
    const { kid: old } = await keys.signer();
    await rotate();
    const left = () => db.query<{ kid: string }>("test_kids", "select kid from signing_keys where kid = $1", [old]);
    await sweepSessions(db, nowMs + 45 * MINUTE_MS - 1_000);
    expect(await left()).toHaveLength(1);
    await sweepSessions(db, nowMs + 45 * MINUTE_MS + 1_000);
    expect(await left()).toHaveLength(0);
  });

  test("before the platform has a key makes none", async () => {
    expect(await rotate()).toBeUndefined();
    expect(await db.query("test_none", "select from signing_keys", [])).toHaveLength(0);
  });

  test("with a keyring that is not the platform's changes nothing", async () => {
    const keys = await prepared();
    const rotating = rotateSigningKey({ db, keyring: newKeyring(), clock }, nobody);
    await expect(rotating).rejects.toBe(wrongKeyring);
    nowMs += 31_000;
    expect(await sizes(keys)).toBe(1);
  });
});

describe("by itself", () => {
  const renew = () => renewSigningKey({ db, keyring, clock, log: quiet, signingKeyDays: 90 });

  test("a key is replaced after 90 days, not before, and then the next one again", async () => {
    const keys = await prepared();
    nowMs += 90 * DAY_MS - 1_000;
    await renew();
    expect(await sizes(keys)).toBe(1);
    nowMs += 1_000;
    await Promise.all([renew(), renew(), renew()]);
    nowMs += 31_000;
    expect(await sizes(keys)).toBe(2);
    nowMs += 89 * DAY_MS;
    await renew();
    expect(await sizes(keys)).toBe(1);
    nowMs += 2 * DAY_MS;
    await renew();
    nowMs += 31_000;
    expect(await sizes(keys)).toBe(2);
  });
});
