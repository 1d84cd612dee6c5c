import { createLog } from "@assistant/kit/log.js";
import { migrate } from "@assistant/kit/migrate.js";
import { orExit } from "@assistant/kit/process.js";
import { migrationConfig } from "./config.js";
import { migrations } from "./store/migrations/index.js";

await orExit(async () => {
  const config = migrationConfig();
  const log = createLog("contexts", config.VERSION, config.LOG_LEVEL);
  await migrate({ url: config.MIGRATE_DATABASE_URL, name: "contexts", migrations, log });
});
