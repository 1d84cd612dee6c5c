import { openPostgres } from "../database/postgres.js";
import type { Log } from "../process/log.js";
import { openEar } from "./ear.js";
import type { Notices } from "./notices.js";

/** Notices as notifications within one database; all who tell or listen use the same. */
export function openPostgresNotices({ url, log, probeMs }: { url: string; log: Log; probeMs: number }): Notices {
  const db = openPostgres({ url, poolMax: 1, log });
  const ears = new Set<{ close(): Promise<void> }>();
  return {
    async tell(subject, texts) {
      await db.query("tell", "select pg_notify($1, text) from unnest($2::text[]) as text", [subject, texts]);
    },
    async listen(subject, listener) {
      const ear = openEar({ url, channel: subject, log, probeMs, ...listener });
      ears.add(ear);
      await ear.open();
    },
    async close() {
      await Promise.all([...ears].map((ear) => ear.close()));
      await db.close();
    },
  };
}
