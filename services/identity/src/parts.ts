import type { Pager } from "@assistant/kit/page.js";
import type { Postgres } from "@assistant/kit/postgres.js";
import type { Write } from "@assistant/kit/write.js";

/** What every noun works with. */
export interface NounParts {
  db: Postgres;
  write: Write;
  pager: Pager;
}
