import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import { one } from "./one.js";

export interface PlatformSettingsRow {
  name: string;
  support_email: string | null;
  support_url: string | null;
  version: number;
}

export async function findPlatformSettings(sql: Sql): Promise<PlatformSettingsRow> {
  return one(await sql.query<PlatformSettingsRow>("platform_settings_find", finding, []));
}

/** Holds the settings, and with them the icon, until the end of the transaction. */
export async function lockPlatformSettings(tx: Sql): Promise<PlatformSettingsRow> {
  return one(await tx.query<PlatformSettingsRow>("platform_settings_lock", `${finding} for no key update`, []));
}

export interface NewPlatformSettings {
  name: string;
  supportEmail: string | undefined;
  supportUrl: string | undefined;
}

export async function updatePlatformSettings(tx: Tx, fresh: NewPlatformSettings): Promise<PlatformSettingsRow> {
  const values = [fresh.name, fresh.supportEmail ?? null, fresh.supportUrl ?? null];
  return one(await tx.change<PlatformSettingsRow>(updating, values));
}

const columns = "name, support_email, support_url, version";
const finding = `select ${columns} from platform_settings`;

// The settings belong to no org.
const updating = changing({
  name: "platform_settings_update",
  effect: `update platform_settings set name = $1, support_email = $2, support_url = $3, version = version + 1
    returning id, '' as org_id, ${columns}`,
  event: { type: "identity.platform_settings.updated", columns: ["name", "support_email", "support_url"] },
});
