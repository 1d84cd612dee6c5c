import { randomBytes } from "node:crypto";
import { anonymous } from "@assistant/kit/caller/caller.js";
import { type Keyring, openKeyring, seal, unseal } from "@assistant/kit/database/seal.js";
import { callAs, quiet } from "@assistant/kit/testing.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { LinksServiceService } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consumeMagicLink, lookAtMagicLink } from "./links/consumption.js";
import { readLinks } from "./links/link-reading.js";
import { type Resealed, resealAll } from "./resealing.js";
import { installProgram, type Program } from "./testing/clients.js";
import { holder, newAccount, newLink, newQrLink, replicaOf } from "./testing/links.js";
import { type Person, rootOf } from "./testing/people.js";
import { ORIGIN, openPlatform, type Platform } from "./testing/platform.js";
import { tokens } from "./tokens.js";

const secrets = { k1: randomBytes(32).toString("base64"), k2: randomBytes(32).toString("base64") };
const ring = (active: string, keys: object) => openKeyring(JSON.stringify({ active, keys }));
/** The steps of a rotation: a new key is known, is active, is alone. */
const known = ring("k1", secrets);
const active = ring("k2", secrets);
const alone = ring("k2", { k2: secrets.k2 });

let platform: Platform;
let admin: Person;

beforeAll(async () => {
  platform = await openPlatform({ keyring: known });
  admin = await rootOf(platform);
});

afterAll(() => platform.close());

function reseal(keyring: Keyring): Promise<Resealed> {
  return resealAll({ db: platform.db, keyring });
}

/** A token for a key, from a replica with this keyring. */
function issue(keyring: Keyring, client_id: string, client_secret: string) {
  const call = callAs(anonymous, { rpc: rpcs.issueToken.path });
  return tokens({ ...platform.parts, keyring }).issueToken(
    { grant_type: "client_credentials", client_id, client_secret },
    call,
  );
}

async function outcome(asking: ReturnType<typeof issue>): Promise<string> {
  try {
    return (await asking).token_type;
  } catch (error) {
    return error instanceof Fault ? error.message : String(error);
  }
}

async function settle(keyring: Keyring): Promise<void> {
  while ((await reseal(keyring)).resealed > 0) {}
}

describe("when the keyring gets another active key", () => {
  test("nobody with a link fails while it is sealed anew, whichever key a replica seals with", async () => {
    await settle(known);
    const { token } = await newQrLink(platform, admin);
    const singles = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const service_account_id = await newAccount(admin);
        return Promise.all(Array.from({ length: 15 }, () => newLink(admin, { service_account_id })));
      }),
    );
    const tokens = singles.flat().flatMap((link) => [link.token, token]);
    const consumers = [known, active, known, active].map(async (keyring) => {
      const replica = replicaOf(platform, { keyring });
      for (let next = tokens.pop(); next !== undefined; next = tokens.pop()) {
        await consumeMagicLink(replica, next, holder());
      }
    });
    let resealed = 0;
    let isRunning = true;
    const rotating = (async () => {
      for (let round = 0; isRunning; round += 1) resealed += (await reseal(round % 2 === 0 ? active : known)).resealed;
    })();
    await Promise.all(consumers).finally(() => {
      isRunning = false;
    });
    await rotating;
    expect(resealed).toBeGreaterThan(0);
  });

  test("the former key can be taken out once all is sealed anew, and not before", async () => {
    const link = await newLink(admin, { max_uses: 5 });
    const tooSoon = replicaOf(platform, { keyring: alone });
    await settle(known);
    expect(await lookAtMagicLink(tooSoon, link.token)).toBeUndefined();
    await expect(tooSoon.signingKeys.signer()).rejects.toThrow("KEYRING");
    await settle(active);
    const later = replicaOf(platform, { keyring: alone });
    expect(await lookAtMagicLink(later, link.token)).toMatchObject({ id: link.token_id });
    expect((await consumeMagicLink(later, link.token, holder())).accessToken).toMatch(/^eyJ/);
    expect((await replicaOf(platform, { keyring: alone }).signingKeys.signer()).kid).not.toBe("");
    const owner = { serviceAccountId: link.service_account_id };
    const parts = { ...later, log: quiet };
    const listed = await platform.db.transaction(ORIGIN, (tx) => readLinks(tx, admin.orgId, owner, parts));
    expect(listed.map(({ token }) => token)).toEqual([link.token]);
  });

  test("a key of a service account is known by the active key from its next use on, and by that alone", async () => {
    const [used, idle] = [await installProgram(admin), await installProgram(admin)];
    const tokenWith = (keyring: Keyring, { id, key }: Program) => issue(keyring, id, key.key);
    expect(await outcome(tokenWith(alone, used))).toBe("invalid_client");
    // Within the minute in which its use is not written down again.
    for (const keyring of [known, known, active]) expect(await outcome(tokenWith(keyring, used))).toBe("Bearer");
    expect(await outcome(tokenWith(alone, used))).toBe("Bearer");
    expect(await outcome(tokenWith(alone, idle))).toBe("invalid_client");
    const guesses = [`${used.key.key.slice(0, -1)}_`, idle.key.key];
    for (const guess of guesses) expect(await outcome(issue(active, used.id, guess))).toBe("invalid_client");
    expect(await outcome(tokenWith(alone, used))).toBe("Bearer");
  });

  test("a key that is used by many at once, of replicas before and after the change, fails nobody", async () => {
    const program = await installProgram(admin);
    const rush = Array.from({ length: 24 }, (_, index) =>
      issue(index % 2 ? known : active, program.id, program.key.key),
    );
    expect(new Set(await Promise.all(rush.map(outcome)))).toEqual(new Set(["Bearer"]));
  });

  test("every sealed column is moved that lasts for more than seconds", async () => {
    const text = `select table_name || '.' || column_name as name from information_schema.columns
      where data_type = 'bytea' and column_name like '%sealed' order by 1`;
    expect(await platform.db.query("list_sealed", text, [])).toEqual([
      { name: "magic_links.sealed" },
      // For ten seconds.
      { name: "refresh_tokens.successor_sealed" },
      { name: "saml_sp_keys.private_sealed" },
      { name: "signing_keys.private_sealed" },
    ]);
    await settle(active);
    const context = ["saml_sp_keys", "spk_1", "", "private_sealed"];
    const inserting = `insert into saml_sp_keys (id, certificate, private_sealed, signs_from, expires_at)
      values ('spk_1', '', $1, now(), now())`;
    await platform.db.query("insert_sp_key", inserting, [seal(known, "a private key", context)]);
    expect(await reseal(active)).toEqual({ resealed: 1, unreadable: 0 });
    const finding = "select private_sealed from saml_sp_keys where id = 'spk_1'";
    const [row] = await platform.db.query<{ private_sealed: Buffer }>("find_sp_key", finding, []);
    expect(unseal(alone, row?.private_sealed ?? Buffer.alloc(0), context).toString()).toBe("a private key");
  });

  test("a link keeps its uses and its version, and no event tells of it", async () => {
    await settle(known);
    const { token_id } = await newLink(admin, { max_uses: 5 });
    const state = async () => {
      const row = "select uses, version, lookup, sealed from magic_links where id = $1";
      const events = "select count(*)::integer as events from outbox";
      const [link] = await platform.db.query<{ lookup: Buffer; sealed: Buffer }>("link_state", row, [token_id]);
      return { ...link, ...(await platform.db.query<object>("count_events", events, []))[0] };
    };
    const { lookup: formerLookup, sealed: formerSealed, ...before } = await state();
    await settle(active);
    const { lookup, sealed, ...after } = await state();
    expect(after).toEqual(before);
    expect([lookup, sealed]).not.toContainEqual(formerLookup);
    expect(sealed).not.toEqual(formerSealed);
  });

  test("what does not open is counted and stops nobody else", async () => {
    await settle(active);
    const [damaged] = [await newLink(admin), await newLink(admin)];
    const text = "update magic_links set sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20)) where id = $1";
    await platform.db.query("damage_link", text, [damaged.token_id]);
    expect(await reseal(active)).toEqual({ resealed: 1, unreadable: 1 });
    expect(await reseal(active)).toEqual({ resealed: 0, unreadable: 1 });
    await admin.ask(LinksServiceService.deleteMagicLink, damaged);
    expect(await reseal(active)).toEqual({ resealed: 0, unreadable: 0 });
  });
});
