import { fileURLToPath } from "node:url";
import { unavailable } from "@assistant/kit/wire/fault.js";
import { Tinypool } from "tinypool";
import type { SamlWorkers } from "./protocol.js";
import type { Task, Work } from "./worker.js";

/** Starts the threads. They know nothing of configuration and databases. */
export function startSamlWorkers({ deadlineMs = DEADLINE_MS } = {}): SamlWorkers {
  const pool = new Tinypool({
    filename: WORKER,
    // One is always there for what waits; the others come with the work, and go after a while without.
    minThreads: 1,
    maxThreads: THREADS_MAX,
    idleTimeout: IDLE_MS,
    maxQueue: QUEUE_MAX,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
    // Nothing of the environment is for them.
    env: {},
  });
  // A thread that fails without work is replaced; one that fails at work tells whoever gave it.
  pool.on("error", () => undefined);

  const perform = async <N extends keyof Work>(
    name: N,
    args: Parameters<Work[N]>,
  ): Promise<Awaited<ReturnType<Work[N]>>> => {
    // Name and arguments belong together, as the signature of this function says.
    const task = { name, args } as Task;
    const { signal, done } = deadline(deadlineMs);
    try {
      return await pool.run(task, { name: "perform", signal });
    } catch (error) {
      throw unavailable("a SAML message could not be read in time", error);
    } finally {
      done();
    }
  };

  return {
    readResponse: (...args) => perform("readResponse", args),
    verifyResponse: async (...args) => rewrapped(await perform("verifyResponse", args)),
    readLogoutPost: (...args) => perform("readLogoutPost", args),
    readLogoutRedirect: (...args) => perform("readLogoutRedirect", args),
    verifyLogoutPost: (...args) => perform("verifyLogoutPost", args),
    verifyLogoutRedirect: (...args) => perform("verifyLogoutRedirect", args),
    readIdpMetadata: (...args) => perform("readIdpMetadata", args),
    close: () => pool.destroy(),
  };
}

/** A thread needs compiled code, also where this file runs from its source. From both folders the way is the same. */
const WORKER = fileURLToPath(new URL("../../../dist/saml/protocol/worker.js", import.meta.url));
const THREADS_MAX = 4;
const IDLE_MS = 60_000;
const QUEUE_MAX = 64;
const HEAP_MAX_MB = 128;
const DEADLINE_MS = 2_000;

/** Between threads a Buffer becomes the bytes that it is made of. */
function rewrapped(verdict: Awaited<ReturnType<Work["verifyResponse"]>>): typeof verdict {
  if (!verdict.ok) {
    return verdict;
  }
  const { assertionHash } = verdict.value;
  return { ok: true, value: { ...verdict.value, assertionHash: Buffer.from(assertionHash) } };
}

/**
 * Out of time, a task leaves the queue, or the thread that is at work on it is ended. Not `AbortSignal.timeout`: once a
 * task is over, the pool takes a signal for a failure of its own, which ends the process.
 */
function deadline(ms: number): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, done: () => clearTimeout(timer) };
}
