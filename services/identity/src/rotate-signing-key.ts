import { nobody } from "@assistant/kit/database/origin.js";
import { openPostgres } from "@assistant/kit/database/postgres.js";
import { openKeyring } from "@assistant/kit/database/seal.js";
import { createLog } from "@assistant/kit/process/log.js";
import { orExit } from "@assistant/kit/process/process.js";
import { rotationConfig } from "./config.js";
import { rotateSigningKey } from "./signing-key-rotation.js";

await orExit(async () => {
  const config = rotationConfig();
  const log = createLog("identity", config.VERSION, config.LOG_LEVEL);
  const keyring = openKeyring(config.KEYRING);
  const db = openPostgres({ url: config.DATABASE_URL, poolMax: 1, log });
  try {
    const signsFrom = await rotateSigningKey({ db, keyring, clock: Date.now }, nobody);
    if (signsFrom === undefined) {
      throw new Error("there is no signing key yet, or a new one is waiting to take over already");
    }
    log.info({ signs_from: signsFrom }, "a new signing key takes over");
  } finally {
    await db.close();
  }
});
