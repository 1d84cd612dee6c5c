import { createBell } from "@assistant/kit/process/bell.js";
import type { Log } from "@assistant/kit/process/log.js";

export interface GotenbergWatchOptions {
  readonly url: string;
  readonly log: Log;
  readonly everyMs: number;
}

export interface GotenbergWatch {
  /** Its version while it works and is new enough, else undefined. */
  version(): string | undefined;
  stop(): Promise<void>;
}

/** Keeps asking a Gotenberg whether it works, and says so in the log whenever that changes. */
export function watchGotenberg({ url, log, everyMs }: GotenbergWatchOptions): GotenbergWatch {
  const bell = createBell();
  let isStopping = false;
  let version: string | undefined;
  let said: string | undefined;

  const look = async () => {
    const { found, reason } = await ask(url).then(
      (text) => ({ found: text, reason: `it works, version ${text}` }),
      (error: unknown) => ({ found: undefined, reason: error instanceof Error ? error.message : String(error) }),
    );
    version = found;
    if (reason !== said && !isStopping) {
      log[found === undefined ? "warn" : "info"]({ url, reason }, "gotenberg");
    }
    said = reason;
  };
  const watching = (async () => {
    while (!isStopping) {
      await look();
      if (!isStopping) await bell.rung(everyMs);
    }
  })();
  return {
    version: () => version,
    async stop() {
      isStopping = true;
      bell.ring();
      await watching;
      version = undefined;
    },
  };
}

const ANSWER_MS = 3_000;
/** Older ones can be made to fetch what a document names, and to read files of their own machine. */
const LEAST = [8, 36] as const;

async function ask(url: string): Promise<string> {
  const version = (await get(`${url}/version`)).trim();
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(version) ?? [];
  const isNewEnough = Number(major) > LEAST[0] || (Number(major) === LEAST[0] && Number(minor) >= LEAST[1]);
  if (!isNewEnough)
    throw new Error(`it is of version ${version.slice(0, 40)}, but must be ${LEAST.join(".")} at least`);
  await get(`${url}/health`);
  return version;
}

async function get(url: string): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: "error" });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${new URL(url).pathname} answers ${answer.status}`);
  return text;
}
