import type { Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import type { Peer } from "@assistant/kit/wire/dial.js";

export interface KnowledgeParts {
  db: Postgres;
  write: Write;
  pager: Pager;
  identity: Peer;
}
