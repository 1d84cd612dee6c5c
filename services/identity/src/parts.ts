import type { Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import type { Log } from "@assistant/kit/process/log.js";
import type { UseCases } from "./use-cases.js";

/** What every noun works with. */
export interface NounParts {
  db: Postgres;
  write: Write;
  pager: Pager;
  useCases: UseCases;
  /** Sends events on their way. */
  relay: { wake(): void };
  log: Log;
}
