import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Log } from "@assistant/kit/process/log.js";
import { unavailable } from "@assistant/kit/wire/fault.js";
import type { Timing } from "../engine.js";
import { corrupt, noEngine, passwordProtected, tooComplex } from "../faults.js";
import type { BasicAnswer, BasicTask } from "./basic-task.js";

export interface BasicRun {
  readonly log: Log;
  readonly timeoutMs: number;
  /** Aborted with the Fault to throw. */
  readonly patience: AbortSignal;
}

/** Does one task in a process of its own. Throws a Fault; the process is gone in any case when this is over. */
export async function runBasicTask(task: Omit<BasicTask, "timeoutMs">, run: BasicRun): Promise<Timing[]> {
  run.patience.throwIfAborted();
  const child = fork(SCRIPT, OPTIONS);
  const answer = await answerOf(child, { ...task, timeoutMs: run.timeoutMs }, run.patience);
  if (answer?.kind === "done") {
    return [
      { step: "load", durationMs: answer.loadMs },
      { step: "export", durationMs: answer.exportMs },
    ];
  }
  run.log.info(
    { extension: task.extension, why: answer?.why, detail: answer?.detail },
    "the basic engine refuses a file",
  );
  switch (answer?.why) {
    case "protected":
      throw passwordProtected();
    case "corrupt":
      throw corrupt();
    case "unable":
      throw noEngine(task.extension);
    case "full":
      throw unavailable("there is no room for the result");
    case "complex":
    case undefined:
      // Killed, by itself or for its memory.
      throw tooComplex();
  }
}

// From here up and down again, so that it is found from the sources as well as from what they are compiled to.
const SCRIPT = fileURLToPath(new URL("../../dist/engines/basic-process.js", import.meta.url));

const OPTIONS: ForkOptions = {
  execArgv: ["--max-old-space-size=768", "--disable-proto=delete"],
  // What libraries print about strange files is of no use, and nothing of our own environment is its business.
  stdio: ["ignore", "ignore", "ignore", "ipc"],
  env: {},
};

/** Undefined if it ends without one. */
function answerOf(child: ChildProcess, task: BasicTask, patience: AbortSignal): Promise<BasicAnswer | undefined> {
  return new Promise((resolve, reject) => {
    let answer: BasicAnswer | undefined;
    const kill = () => child.kill("SIGKILL");
    patience.addEventListener("abort", kill, { once: true });
    child.once("message", (message) => {
      // Only our own program is at the other end.
      answer = message as BasicAnswer;
    });
    child.once("error", reject);
    child.once("close", () => {
      patience.removeEventListener("abort", kill);
      if (patience.aborted) reject(patience.reason);
      else resolve(answer);
    });
    child.send(task, (error) => {
      // It is gone before it began; `close` follows.
      if (error !== null) kill();
    });
  });
}
