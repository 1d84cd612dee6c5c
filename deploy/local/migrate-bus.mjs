// Brings the database of the built-in bus up to date. The bus belongs to no service, so whoever sets it up does this.

import { migrateBus } from "@assistant/kit/events/bus-postgres-schema.js";
import { createLog } from "@assistant/kit/process/log.js";

const { MIGRATE_DATABASE_URL: url } = process.env;
if (url === undefined) throw new Error("MIGRATE_DATABASE_URL must be set");
await migrateBus(url, createLog("bus", "development", "info"));
