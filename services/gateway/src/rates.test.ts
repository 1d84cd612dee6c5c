import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { until } from "@assistant/kit/testing/until.js";
import { quiet } from "@assistant/kit/testing.js";
import { describe, expect, test } from "@jest/globals";
import { createRates, type Rates } from "./rates.js";

const perMinute = { read: 2, write: 2, convert: 2, token: 2, login: 2, acs: 2, consume: 2 };
const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;
const withRedis = hasRedis ? describe : describe.skip;

describe("windows in memory", () => {
  test("fill up for each class and key, and say when they start anew", async () => {
    const rates = createRates({ redisUrl: undefined, perMinute, log: quiet });
    expect(await rates.take("read", "usr_a")).toEqual({ rateClass: "read", limit: 2, left: 1, resetS: 60 });
    await rates.take("read", "usr_a");
    await expect(rates.take("read", "usr_a")).rejects.toMatchObject({
      kind: "exhausted",
      retryAfterS: expect.any(Number),
    });
    expect(await rates.take("read", "usr_b")).toMatchObject({ left: 1 });
    expect(await rates.take("write", "usr_a")).toMatchObject({ left: 1 });
    expect(rates.isDegraded()).toBe(false);
  });
});

withRedis("windows in Redis (skipped without redis-server on PATH)", () => {
  test("are shared by replicas, and go on in memory while Redis is dead or hangs", async () => {
    const port = await freePort();
    let redis = startRedis(port);
    const [one, other] = [replica(port), replica(port)];
    try {
      await until(() => !one.isDegraded() && !other.isDegraded());
      await one.take("read", "usr_a");
      await other.take("read", "usr_a");
      await expect(one.take("read", "usr_a")).rejects.toMatchObject({ kind: "exhausted" });

      redis.kill("SIGSTOP");
      expect(await one.take("read", "usr_b")).toMatchObject({ left: 1 });
      redis.kill("SIGCONT");

      redis.kill("SIGKILL");
      await until(() => one.isDegraded());
      expect(await one.take("read", "usr_c")).toMatchObject({ left: 1 });
      await one.take("read", "usr_c");
      await expect(one.take("read", "usr_c")).rejects.toMatchObject({ kind: "exhausted" });

      redis = startRedis(port);
      await until(() => !one.isDegraded());
      expect(await one.take("read", "usr_d")).toMatchObject({ left: 1 });
    } finally {
      one.close();
      other.close();
      redis.kill("SIGKILL");
    }
  });
});

function replica(port: number): Rates {
  return createRates({ redisUrl: `redis://127.0.0.1:${port}`, perMinute, log: quiet });
}

function startRedis(port: number): ChildProcess {
  const words = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  return spawn("redis-server", words, { stdio: "ignore" });
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}
