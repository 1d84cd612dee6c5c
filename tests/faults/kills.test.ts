import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";
import { accountOf, startWriters } from "./history.js";

const BACK_MS = 5_000;

let platform: Platform;
let place: { categoryId: string; scopeId: string };

beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"] });
  const token = await platform.token();
  const org = (await platform.get<{ items: { id: string }[] }>("/api/core/orgs", token)).items[0];
  if (!org) throw new Error("the platform started without an org");
  const category = { name: "Under load", scope_id: org.id };
  const { id } = await platform.post<{ id: string }>("/api/core/context-categories", token, category);
  place = { categoryId: id, scopeId: org.id };
}, 90_000);
afterAll(() => platform.stop());

describe("kill -9 during 20 parallel writers", () => {
  test.each(["contexts", "postgres", "gateway"])(
    "of %s: every acknowledged write is there with one event, nobody gets a 500 or hangs, and it answers again within 5 s",
    async (part) => {
      const load = startWriters(platform, await platform.token(), place);
      await load.acknowledges(200);
      const victim = await platform.pidOf(part);
      process.kill(victim, "SIGKILL");
      const returnedAtMs = await returned(part, victim);
      await load.acknowledges(200);
      const recoveredMs = Date.now() - returnedAtMs;
      await load.stop();

      const { acknowledged, failures, longestMs } = load.history;
      const account = await accountOf(await platform.databaseUrl("contexts"), acknowledged);
      const all = acknowledged.length;
      expect(account).toEqual({ rows: all, events: all, subjects: all, orphans: 0 });
      const allowed = part === "gateway" ? [503, "no answer"] : [503];
      expect([...failures.keys()].filter((failure) => !allowed.includes(failure))).toEqual([]);
      expect(recoveredMs).toBeLessThan(BACK_MS);
      expect(longestMs).toBeLessThan(11_000);
    },
    90_000,
  );

  test("of the launcher: the next start takes everything over, and every acknowledged write is there with one event", async () => {
    const load = startWriters(platform, await platform.token(), place);
    await load.acknowledges(200);
    process.kill(await platform.pidOf("launcher"), "SIGKILL");
    await sleep(100);
    await platform.start();
    await load.acknowledges(200);
    await load.stop();

    const { acknowledged, failures } = load.history;
    const account = await accountOf(await platform.databaseUrl("contexts"), acknowledged);
    const all = acknowledged.length;
    expect(account).toEqual({ rows: all, events: all, subjects: all, orphans: 0 });
    expect([...failures.keys()].filter((failure) => failure !== 503 && failure !== "no answer")).toEqual([]);
  }, 120_000);
});

/** When another process has taken the part's place. */
async function returned(part: string, victim: number): Promise<number> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(20)) {
    const pid = await platform.pidOf(part).catch(() => victim);
    if (pid !== victim) return Date.now();
  }
  throw new Error(`${part} did not come back`);
}
