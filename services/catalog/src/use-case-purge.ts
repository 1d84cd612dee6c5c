import { nobody } from "@assistant/kit/database/origin.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Log } from "@assistant/kit/process/log.js";
import { detachAll } from "./guided-fields/attachments.js";
import { lockDeletedUseCase, purgeUseCase } from "./store/use-case-purge.js";

export interface UseCasePurgeParts {
  db: Postgres;
  relay: { wake(): void };
  clock: () => number;
  /** How long a deleted use case can be restored. */
  keptDays: number;
  log: Log;
}

/** Removes deleted use cases for good once nobody can restore them any more; every replica may do it. */
export function startUseCasePurge(parts: UseCasePurgeParts): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let stopping = false;
  const round = () => {
    running = purgeUseCases(parts, () => stopping)
      .then((purged) => {
        if (purged > 0) parts.log.info({ purged }, "deleted use cases are gone for good");
      })
      .catch((error: unknown) => parts.log.warn({ err: error }, "cannot purge use cases now"));
  };
  const timer = setInterval(round, EVERY_MS);
  return {
    async stop() {
      stopping = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** One round, each use case by itself, so that nobody waits for all of them; how many there were. */
export async function purgeUseCases(
  { db, relay, clock, keptDays }: Omit<UseCasePurgeParts, "log">,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const before = new Date(clock() - keptDays * DAY_MS);
  let purged = 0;
  while (!isStopping() && (await purgeOne(db, before))) {
    purged += 1;
    relay.wake();
  }
  return purged;
}

const EVERY_MS = 600_000;
const DAY_MS = 86_400_000;

function purgeOne(db: Postgres, before: Date): Promise<boolean> {
  return db.transaction(nobody, async (tx) => {
    const key = await lockDeletedUseCase(tx, before);
    if (key === undefined) return false;
    await detachAll(tx, key.orgId, "use_case", key.id);
    await purgeUseCase(tx, key);
    return true;
  });
}
