import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { type Platform, startPlatform } from "../platform.js";
import { startLogins } from "./login-load.js";

const ROUNDS = 20;
// Enough for all links of a test, each of them making 20 an hour at most.
const ACCOUNTS = 60;

let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"], environment: { RATE_TOKEN_PER_MINUTE: "600000" } });
}, 90_000);
afterAll(() => platform.stop());

describe("kill -9 in the middle of logins", () => {
  for (const part of ["postgres", "identity", "nats-server", "redis-server"]) {
    const isAbsent = part.endsWith("-server") && spawnSync("which", [part]).status !== 0;
    const reason = isAbsent ? ` (skipped: ${part} is not on PATH)` : "";
    const run = isAbsent ? test.skip : test;

    run(
      `of ${part}: no link signs in twice, no ended session is accepted, and nobody gets a 500${reason}`,
      async () => {
        const admin = await platform.token();
        const load = startLogins(platform, admin, await newAccounts(admin));
        await load.completes(ROUNDS);
        process.kill(await platform.pidOf(part), "SIGKILL");
        await load.completes(ROUNDS);
        await load.stop();

        const { uses, failures, ended } = load.history;
        expect([...uses.values()].filter((count) => count > 1)).toEqual([]);
        expect([...failures.keys()].filter((failure) => !isExpected(failure))).toEqual([]);
        expect(await usedTwice()).toEqual([]);
        // With the bus away, the next reading of the whole list tells what nobody announced.
        await sleep(2_000);
        const isAnnounced = part !== "nats-server";
        for (const { token } of ended) await refused(token, isAnnounced ? 0 : REREAD_MS);
        expect(ended.length).toBeGreaterThan(ROUNDS);
      },
      120_000,
    );
  }
});

const REREAD_MS = 16_000;

/** One of two that use a link at once is refused; and what is away says so. */
function isExpected(failure: string): boolean {
  return failure === "consume 400" || failure.endsWith(" 503");
}

async function newAccounts(admin: string): Promise<string[]> {
  const create = (name: string) => platform.post<{ id: string }>("/api/core/service-accounts", admin, { name });
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, (_, place) => create(`Signs in ${place}`)));
  return accounts.map(({ id }) => id);
}

/** Links with more sessions than uses allowed. */
async function usedTwice(): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: await platform.databaseUrl("identity") });
  await client.connect();
  try {
    const { rows } = await client.query(
      "select link_id from sessions where link_id is not null group by link_id having count(*) > 1",
    );
    return rows;
  } finally {
    await client.end();
  }
}

/** Resolves once the gateway refuses the token; what it answers until then is never its content after `withinMs`. */
async function refused(token: string, withinMs: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  for (const deadline = Date.now() + withinMs; ; await sleep(200)) {
    const { status } = await fetch(`${platform.url}/api/core/user/profile`, { headers });
    if (status === 401) return;
    if (Date.now() >= deadline) expect({ status, withinMs }).toEqual({ status: 401, withinMs });
  }
}
