import { createBell } from "@assistant/kit/bell.js";
import type { Log } from "@assistant/kit/log.js";
import { type Migrations, schemaReady } from "@assistant/kit/migrate.js";
import type { Postgres } from "@assistant/kit/postgres.js";

export interface ReadinessParts {
  db: Postgres;
  migrations: Migrations;
  setReady(ready: boolean): void;
  log: Log;
}

/** Keeps saying whether the service may be sent work: its database answers and has the schema. */
export function watchReadiness({ db, migrations, setReady, log }: ReadinessParts): { stop(): Promise<void> } {
  const bell = createBell();
  let stopping = false;
  const watching = (async () => {
    while (!stopping) {
      const ready = await schemaReady(db, migrations).catch((error: unknown) => {
        log.warn({ err: error }, "not ready: the database does not answer");
        return false;
      });
      if (!stopping) setReady(ready);
      await bell.rung(EVERY_MS);
    }
  })();
  return {
    async stop() {
      stopping = true;
      bell.ring();
      await watching;
    },
  };
}

const EVERY_MS = 2_000;
