import { nobody } from "@assistant/kit/database/origin.js";
import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import { createTestDatabase, quiet, type TestDatabase } from "@assistant/kit/testing.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { bootstrap } from "./bootstrap.js";
import { type ClientParts, clientProof } from "./client.js";
import { newSecret } from "./secret.js";
import { migrations } from "./store/migrations/index.js";
import { refusal } from "./testing/people.js";
import { newKeyring } from "./testing/platform.js";

let database: TestDatabase;
let replicas: Postgres[];
const keyring = newKeyring();
const FIRST = "first-root-credential-0123456789abcdef";
const SECOND = "second-root-credential-0123456789abcde";

beforeAll(async () => {
  database = await createTestDatabase(migrations);
  replicas = [1, 2, 3].map(() => openPostgres({ url: database.url, poolMax: 2, log: quiet }));
  await Promise.all(replicas.map((db) => bootstrap(db, nobody, { orgName: "First", email: "admin@first.example" })));
});

afterAll(async () => {
  await Promise.all(replicas.map((db) => db.close()));
  await database.close();
});

const provers = (bootstrapToken: string | undefined) =>
  replicas.map((db) => clientProof({ db, keyring, clock: Date.now, bootstrapToken } satisfies ClientParts));
const operator = (clientSecret: string, loginHint?: string) => ({ clientId: "bootstrap", clientSecret, loginHint });
const INVALID_CLIENT = { kind: "refused", at: [": invalid_client"] };

describe("the operator's credential", () => {
  test("is good at each of three replicas that started at once, for the one platform admin", async () => {
    const clients = await Promise.all(provers(FIRST).map((prove) => prove(operator(FIRST))));
    expect(new Set(clients.map(({ principal }) => principal.id)).size).toBe(1);
    for (const { principal, role, amr, keyId } of clients) {
      expect([principal.platform_admin, role, amr, keyId]).toEqual([true, "admin", ["bootstrap"], undefined]);
    }
  });

  test("that was changed replaces the former", async () => {
    for (const prove of provers(SECOND)) {
      expect((await prove(operator(SECOND))).principal.platform_admin).toBe(true);
      expect(await refusal(prove(operator(FIRST)))).toEqual(INVALID_CLIENT);
    }
  });

  test("that was removed leaves none, whatever is shown", async () => {
    for (const prove of provers(undefined)) {
      for (const shown of [FIRST, SECOND, "", "undefined"]) {
        expect(await refusal(prove(operator(shown)))).toEqual(INVALID_CLIENT);
      }
    }
  });

  test("is wrong with anything before, behind or missing, and in another case", async () => {
    const [prove] = provers(FIRST);
    if (prove === undefined) throw new Error("there is no replica");
    for (const shown of [` ${FIRST}`, `${FIRST} `, FIRST.slice(1), FIRST.slice(0, -1), FIRST.toUpperCase(), ""]) {
      expect(await refusal(prove(operator(shown)))).toEqual(INVALID_CLIENT);
    }
  });
});

test("a secret with a wrong checksum is refused before anything is asked of the database", async () => {
  const closed = openPostgres({ url: database.url, poolMax: 1, log: quiet });
  await closed.close();
  const prove = clientProof({ db: closed, keyring, clock: Date.now, bootstrapToken: undefined });
  const secret = newSecret(newId("key"));
  const show = (clientSecret: string) => prove({ clientId: newId("sva"), clientSecret, loginHint: undefined });
  const last = secret.endsWith("0") ? "1" : "0";
  expect(await refusal(show(`${secret.slice(0, -1)}${last}`))).toEqual(INVALID_CLIENT);
  expect(await refusal(show("x".repeat(1_000_000)))).toEqual(INVALID_CLIENT);
  // One with a right checksum asks, and finds that nobody is there.
  await expect(show(secret)).rejects.not.toMatchObject({ kind: "refused" });
});
