import type { Sql } from "@assistant/kit/database/postgres.js";

/** A sign-in that is proved and waits for the browser that began it. */
export interface LoginCodeRow {
  org_id: string;
  connection_id: string;
  config_version: number;
  browser_hash: Buffer;
  user_id: string;
  name_id: string;
  session_index: string | null;
  session_ends_at: Date | null;
  return_to: string;
  expires_at: Date;
}

export async function insertLoginCode(sql: Sql, codeHash: Buffer, row: LoginCodeRow): Promise<void> {
  await sql.query("login_codes_insert", inserting, [codeHash, ...columns.map((column) => row[column])]);
}

/** Takes a code: whoever comes second finds none. */
export async function takeLoginCode(sql: Sql, codeHash: Buffer): Promise<LoginCodeRow | undefined> {
  return (await sql.query<LoginCodeRow>("login_codes_take", taking, [codeHash]))[0];
}

const columns = [
  "org_id",
  "connection_id",
  "config_version",
  "browser_hash",
  "user_id",
  "name_id",
  "session_index",
  "session_ends_at",
  "return_to",
  "expires_at",
] as const satisfies readonly (keyof LoginCodeRow)[];

const inserting = `insert into login_codes (code_hash, ${columns.join(", ")})
  values ($1, ${columns.map((_, index) => `$${index + 2}`).join(", ")})`;
const taking = `delete from login_codes where code_hash = $1 returning ${columns.join(", ")}`;
