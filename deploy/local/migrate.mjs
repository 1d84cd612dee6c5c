// Brings all databases up to date in one process: most of what a migration that has nothing to do costs is its start.

import { migrations as catalog } from "@assistant/catalog/store/migrations/index.js";
import { migrations as contexts } from "@assistant/contexts/store/migrations/index.js";
import { migrations as identity } from "@assistant/identity/store/migrations/index.js";
import { migrate } from "@assistant/kit/database/migrate.js";
import { migrateBus } from "@assistant/kit/events/bus-postgres-schema.js";
import { createLog } from "@assistant/kit/process/log.js";

const results = await Promise.allSettled([
  ...Object.entries({ catalog, contexts, identity }).map(([name, migrations]) =>
    told(name, (url, log) => migrate({ url, name, migrations, log })),
  ),
  told("bus", migrateBus),
]);
if (results.some(({ status }) => status === "rejected")) process.exitCode = 1;

/**
 * @param {string} name
 * @param {(url: string, log: import("@assistant/kit/process/log.js").Log) => Promise<void>} run
 */
async function told(name, run) {
  const log = createLog(name, "development", "info");
  const url = process.env[`${name.toUpperCase()}_DATABASE_URL`];
  try {
    if (url === undefined) throw new Error("no address of the database is given");
    await run(url, log);
  } catch (error) {
    log.fatal({ err: error }, `the database of ${name} cannot be migrated`);
    throw error;
  }
}
