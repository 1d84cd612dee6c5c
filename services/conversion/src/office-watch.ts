import { readFile } from "node:fs/promises";
import { createBell } from "@assistant/kit/process/bell.js";
import type { Log } from "@assistant/kit/process/log.js";
import type { Engine } from "./engine.js";

export type OfficeState = "installing" | "ready" | "absent";

export interface OfficeWatchOptions {
  /** Where the office is, if it is there. */
  find(): Promise<string | undefined>;
  open(path: string): Promise<Engine>;
  /** Names a file that says `installing` as long as somebody installs the office; whatever else it says is not heard. */
  readonly stateFile: string | undefined;
  readonly log: Log;
  readonly everyMs?: number;
}

export interface OfficeWatch {
  /** Undefined until it is open. */
  engine(): Engine | undefined;
  state(): OfficeState;
  /** Closes the engine, too. */
  stop(): Promise<void>;
}

/**
 * Opens the office as soon as it is there: it may be installed while the service works. What is half installed is left
 * alone, and an office that does not open is tried again. Every change of the state stands in the log.
 */
export function watchOffice({ find, open, stateFile, log, everyMs = EVERY_MS }: OfficeWatchOptions): OfficeWatch {
  const bell = createBell();
  let isStopping = false;
  let engine: Engine | undefined;
  let state: OfficeState | undefined;

  const become = (next: OfficeState, path?: string) => {
    if (next !== state) log.info({ office: next, path, version: engine?.version }, `the office is ${next}`);
    state = next;
  };
  const look = async () => {
    if (await isInstalling(stateFile)) {
      become("installing");
      return;
    }
    const path = await find();
    if (path !== undefined) engine = await open(path);
    become(engine === undefined ? "absent" : "ready", path);
  };
  const watching = (async () => {
    while (!isStopping && engine === undefined) {
      const isBroken = await look().then(
        () => false,
        (error: unknown) => {
          become("absent");
          log.error({ err: error }, "the office does not open");
          return true;
        },
      );
      if (!isStopping && engine === undefined) await bell.rung(isBroken ? BROKEN_EVERYS * everyMs : everyMs);
    }
  })();
  return {
    engine: () => engine,
    state: () => state ?? "absent",
    async stop() {
      isStopping = true;
      bell.ring();
      await watching;
      await engine?.close();
    },
  };
}

const EVERY_MS = 2_000;
/** What is there but does not open costs a whole start each time. */
const BROKEN_EVERYS = 15;

async function isInstalling(stateFile: string | undefined): Promise<boolean> {
  if (stateFile === undefined) return false;
  try {
    return (await readFile(stateFile, "utf8")).trim() === "installing";
  } catch {
    // Nobody has written anything yet, or takes it away: then nobody installs.
    return false;
  }
}
