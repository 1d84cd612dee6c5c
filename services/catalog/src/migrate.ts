import { migrate } from "@assistant/kit/database/migrate.js";
import { createLog } from "@assistant/kit/process/log.js";
import { orExit } from "@assistant/kit/process/process.js";
import { migrationConfig } from "./config.js";
import { migrations } from "./store/migrations/index.js";

await orExit(async () => {
  const config = migrationConfig();
  const log = createLog("catalog", config.VERSION, config.LOG_LEVEL);
  await migrate({ url: config.MIGRATE_DATABASE_URL, name: "catalog", migrations, log });
});
