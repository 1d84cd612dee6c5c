import { schemaReady } from "@assistant/kit/database/migrate.js";
import { nobody } from "@assistant/kit/database/origin.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Log } from "@assistant/kit/process/log.js";
import { bootstrap, type FirstOrg } from "./bootstrap.js";
import type { SigningKeys } from "./signing-keys.js";
import { migrations } from "./store/migrations/index.js";

export interface PreparationParts {
  db: Postgres;
  signingKeys: SigningKeys;
  bootstrapToken: string | undefined;
  firstOrg: FirstOrg;
  log: Log;
}

/**
 * Answers whether identity can do its work: the schema is there, and with it the signing key and, where an operator can
 * make use of it, the first org. Throws where no waiting will help: the keyring is not the one of the key.
 */
export function preparation({ db, signingKeys, bootstrapToken, firstOrg, log }: PreparationParts) {
  let isPrepared = false;
  return async (): Promise<boolean> => {
    if (!(await schemaReady(db, migrations))) {
      return false;
    }
    if (!isPrepared) {
      await signingKeys.prepare(nobody);
      if (bootstrapToken === undefined) {
        log.warn(
          "BOOTSTRAP_TOKEN is not set: nobody can sign in as operator, and a new platform stays without an admin",
        );
      } else if (await bootstrap(db, nobody, firstOrg)) {
        log.info("the first org and its platform admin were made");
      }
      isPrepared = true;
    }
    return true;
  };
}
