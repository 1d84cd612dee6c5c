import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";

export type ConnectorKind =
  | "smtp"
  | "cloud_storage"
  | "manually_synced"
  | "webdav_nextcloud"
  | "amazon_s3"
  | "microsoft_onedrive"
  | "microsoft_sharepoint"
  | "google_drive"
  | "sftp"
  | "imap_mail"
  | "confluence"
  | "git_repository"
  | "mediawiki";

/** A text in some of the languages. */
export type Texts = Readonly<Record<string, string>>;

/** What a use case says of itself. */
export interface UseCaseContent {
  label: Texts;
  /** Empty: not told. */
  description: Texts;
  sync_connectors: readonly ConnectorKind[];
  credential_ids: readonly string[];
  sync_connectors_enabled_user_credentials: readonly ConnectorKind[];
}

export interface UseCaseRow extends UseCaseContent {
  id: string;
  org_id: string;
  version: number;
  /** Null: in use. */
  deleted_at: Date | null;
}

export interface UseCaseKey {
  orgId: string;
  id: string;
}

export async function insertUseCase(tx: Tx, { orgId, id }: UseCaseKey, content: UseCaseContent): Promise<UseCaseRow> {
  return one(await tx.change<UseCaseRow>(inserting, [orgId, id, ...valuesOf(content)]));
}

/** Deleted ones too. */
export async function findUseCase(sql: Sql, { orgId, id }: UseCaseKey): Promise<UseCaseRow | undefined> {
  return (await sql.query<UseCaseRow>("use_cases_find", finding, [orgId, id]))[0];
}

/** Holds a use case, also a deleted one, until the end of the transaction. */
export async function lockUseCase(tx: Sql, { orgId, id }: UseCaseKey): Promise<UseCaseRow | undefined> {
  return (await tx.query<UseCaseRow>("use_cases_lock", `${finding} for update`, [orgId, id]))[0];
}

/** Changes a use case that `lockUseCase` holds. */
export async function updateUseCase(tx: Tx, { orgId, id }: UseCaseKey, content: UseCaseContent): Promise<UseCaseRow> {
  return one(await tx.change<UseCaseRow>(updating, [orgId, id, ...valuesOf(content)]));
}

/** Deletes a use case that `lockUseCase` holds; it stays, to be restored. */
export async function removeUseCase(tx: Tx, { orgId, id }: UseCaseKey): Promise<void> {
  one(await tx.change(removing, [orgId, id]));
}

/** Restores a use case that `lockUseCase` holds. */
export async function restoreUseCase(tx: Tx, { orgId, id }: UseCaseKey): Promise<UseCaseRow> {
  return one(await tx.change<UseCaseRow>(restoring, [orgId, id]));
}

export const useCaseColumns = `
  id, org_id, label, description, sync_connectors, credential_ids, sync_connectors_enabled_user_credentials, version,
  deleted_at`;

const finding = `select ${useCaseColumns} from use_cases where org_id = $1 and id = $2`;

/** What events tell of a use case. Its texts are long: whoever needs them asks. */
const told = ["id", "sync_connectors", "credential_ids", "sync_connectors_enabled_user_credentials"];

const inserting = changing({
  name: "use_cases_insert",
  effect: `insert into use_cases (org_id, id, label, description, sync_connectors, credential_ids,
      sync_connectors_enabled_user_credentials, version)
    values ($1, $2, $3, $4, $5, $6, $7, 1) returning ${useCaseColumns}`,
  event: { type: "catalog.use_case.created", columns: told },
});

const updating = changing({
  name: "use_cases_update",
  effect: `update use_cases set label = $3, description = $4, sync_connectors = $5, credential_ids = $6,
      sync_connectors_enabled_user_credentials = $7, version = version + 1
    where org_id = $1 and id = $2 returning ${useCaseColumns}`,
  event: { type: "catalog.use_case.updated", columns: told },
});

const removing = changing({
  name: "use_cases_remove",
  effect: `update use_cases set deleted_at = now(), version = version + 1
    where org_id = $1 and id = $2 returning ${useCaseColumns}`,
  event: { type: "catalog.use_case.deleted", columns: told },
});

const restoring = changing({
  name: "use_cases_restore",
  effect: `update use_cases set deleted_at = null, version = version + 1
    where org_id = $1 and id = $2 returning ${useCaseColumns}`,
  event: { type: "catalog.use_case.restored", columns: told },
});

function valuesOf(content: UseCaseContent): unknown[] {
  const { label, description, sync_connectors, credential_ids, sync_connectors_enabled_user_credentials } = content;
  const texts = [JSON.stringify(label), JSON.stringify(description)];
  return [...texts, sync_connectors, credential_ids, sync_connectors_enabled_user_credentials];
}

/** The row of a change that cannot miss: what it changes is new, or held. */
function one<Row>([row]: Row[]): Row {
  if (row === undefined) {
    throw new Error("a change of one row changed none");
  }
  return row;
}
