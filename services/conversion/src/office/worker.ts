import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { hasCode } from "./error-code.js";
import type { Command } from "./sandbox.js";
import { parseWorkerLine, type WorkerAnswer, type WorkerJob } from "./worker-protocol.js";

/** One process that owns one office. It takes one job at a time. */
export interface Worker {
  /** Undefined if it ended instead. */
  convert(job: WorkerJob): Promise<WorkerAnswer | undefined>;
  isUp(): boolean;
  /** At once, with all that it started. */
  kill(): void;
  /** Resolves when nothing of it runs any more. */
  readonly ended: Promise<void>;
}

/** Resolves when it is ready, rejects with what it said if it ends before, or is not ready in time. */
export async function startWorker(command: Command, folder: string, signal: AbortSignal): Promise<Worker> {
  signal.throwIfAborted();
  const child = spawn(command.file, [...command.words], {
    cwd: folder,
    env: command.env,
    // A process group of its own, so that nothing of it is left when it is killed.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let isUp = true;
  const kill = () => {
    isUp = false;
    killGroup(child);
  };
  const ended = endOf(child).finally(kill);
  const lastWords = tailOf(child);
  let hear: (answer: WorkerAnswer) => void = () => {};

  signal.addEventListener("abort", kill);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(kill, START_LIMIT_MS);
    eachLine(child.stdout, (text) => {
      const line = text === undefined ? undefined : parseWorkerLine(text);
      if (line === undefined) {
        kill();
      } else if ("event" in line) {
        clearTimeout(timer);
        resolve();
      } else {
        hear(line);
      }
    });
    void ended.then(() => {
      clearTimeout(timer);
      reject(new Error(`the office did not start: ${lastWords()}`));
    });
  }).finally(() => signal.removeEventListener("abort", kill));
  return {
    isUp: () => isUp,
    kill,
    ended,
    async convert(job) {
      const answer = new Promise<WorkerAnswer>((resolve) => {
        hear = (answer) => (answer.id === job.id ? resolve(answer) : kill());
      });
      child.stdin.write(`${JSON.stringify(job)}\n`);
      return Promise.race([answer, ended.then(() => undefined)]);
    },
  };
}

/** Hands on each line, and undefined in the place of one that does not end. */
function eachLine(stream: Readable, take: (line: string | undefined) => void): void {
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
    if (rest.length > LINE_CHARACTERS) {
      rest = "";
      take(undefined);
    }
  });
}

async function endOf(child: ChildProcess): Promise<void> {
  // A worker that dies is noticed by its end; that it can be written to no longer says nothing more.
  child.stdin?.on("error", () => {});
  await new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // Nothing of the group is left, which is what was wanted.
    if (!hasCode(error, "ESRCH")) throw error;
  }
}

/** The last of what it said about itself; read to the end in any case, lest it wait for a reader. */
function tailOf(child: ChildProcess): () => string {
  let tail = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-TAIL_CHARACTERS);
  });
  return () => tail;
}

const START_LIMIT_MS = 90_000;
const TAIL_CHARACTERS = 2_000;
const LINE_CHARACTERS = 64 * 1024;
