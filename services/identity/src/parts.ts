import type { Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";

/** What every noun works with. */
export interface NounParts {
  db: Postgres;
  write: Write;
  pager: Pager;
}
