import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { until } from "./until.js";

/** A real NATS server of a test's own, to be killed and started at will. */
export interface TestNats {
  readonly url: string;
  start(): Promise<void>;
  /** SIGKILL: nothing is written down any more. */
  kill(): Promise<void>;
  /** Throws away what it stored; only while it is down. */
  wipe(): Promise<void>;
  close(): Promise<void>;
}

export async function createTestNats(): Promise<TestNats> {
  const folder = await mkdtemp(join(tmpdir(), "assistant-nats-"));
  const port = await freePort();
  const url = `nats://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const nats: TestNats = {
    url,
    async start() {
      child = spawn("nats-server", ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder], { stdio: "ignore" });
      await until(async () => {
        const connection = await connect({ servers: url, timeout: 500, reconnect: false });
        await connection.close();
        return true;
      });
    },
    async kill() {
      if (child !== undefined && child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    },
    wipe: () => rm(folder, { recursive: true }),
    async close() {
      await nats.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await nats.start();
  return nats;
}

/** Undefined if there is a server to test with, else why not. */
export function natsMissing(): string | undefined {
  try {
    execFileSync("nats-server", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    // Whatever the reason, there is nothing to start.
    return "nats-server is not on PATH";
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") {
    throw new Error("a TCP server has a port");
  }
  return address.port;
}
