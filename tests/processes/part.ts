import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A process of its own, to be killed; it runs what the build made. */
export interface Part {
  readonly process: ChildProcess;
  /** How it ended: "done", "killed", or what it wrote before it failed. */
  readonly ended: Promise<string>;
}

export function startPart(name: string, words: Readonly<Record<string, unknown>>): Part {
  const script = fileURLToPath(new URL(`children/${name}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(words)], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += String(chunk);
    });
  }
  const ended = once(child, "close").then(([code, signal]) => {
    if (signal === "SIGKILL") {
      return "killed";
    }
    return code === 0 ? "done" : `exit ${code}: ${output}`;
  });
  return { process: child, ended };
}

export async function killPart({ process: child, ended }: Part): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}
