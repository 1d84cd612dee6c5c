import { kitMigration } from "@assistant/kit/database/kit-migration.js";
import type { Migrations } from "@assistant/kit/database/migrate.js";
import { identityMigration } from "./0001-identity.js";
import { sessionsMigration } from "./0002-sessions.js";
import { revocationsMigration } from "./0003-revocations.js";
import { magicLinksMigration } from "./0004-magic-links.js";
import { samlMigration } from "./0005-saml.js";
import { profilesMigration } from "./0006-profiles.js";
import { platformSettingsMigration } from "./0007-platform-settings.js";

/** In the order in which they run; forward only. */
export const migrations: Migrations = {
  "0000-kit": kitMigration,
  "0001-identity": identityMigration,
  "0002-sessions": sessionsMigration,
  "0003-revocations": revocationsMigration,
  "0004-magic-links": magicLinksMigration,
  "0005-saml": samlMigration,
  "0006-profiles": profilesMigration,
  "0007-platform-settings": platformSettingsMigration,
};
