import type { Sql } from "@assistant/kit/database/postgres.js";

/** A column of sealed values. Its context is the table, the row's key, its org if it has one, and the column. */
export interface SealedColumn {
  readonly table: string;
  readonly key: string;
  readonly org?: string;
  readonly sealed: string;
  /** Holds a fingerprint of the secret, to find the row by. */
  readonly lookup?: { readonly column: string; readonly purpose: string };
}

export interface SealedRow {
  key: string;
  org: string;
  sealed: Buffer;
}

/** Some rows sealed under another key than this, in the order of their keys; those that somebody holds are left out. */
export function lockSealedUnderOthers(
  tx: Sql,
  { table, key, org, sealed }: SealedColumn,
  { kid, after, limit }: { kid: string; after: string; limit: number },
): Promise<SealedRow[]> {
  const text = `
    select ${key} as key, ${org ?? "''"} as org, ${sealed} as sealed from ${table}
    where ${sealed} is not null and ${key} > $2 and substring(${sealed} from 3 for get_byte(${sealed}, 1)) <> $1
    order by ${key} limit $3 for update skip locked`;
  return tx.query<SealedRow>(`${table}_lock_${sealed}`, text, [Buffer.from(kid), after, limit]);
}

/** Replaces what `lockSealedUnderOthers` holds. */
export async function reseal(
  tx: Sql,
  { table, key, sealed, lookup }: SealedColumn,
  row: SealedRow,
  fresh: { sealed: Buffer; lookup: Buffer | undefined },
): Promise<void> {
  const found = lookup === undefined ? "" : `, ${lookup.column} = $3`;
  const values = [row.key, fresh.sealed, ...(lookup === undefined ? [] : [fresh.lookup])];
  await tx.query(`${table}_reseal_${sealed}`, `update ${table} set ${sealed} = $2${found} where ${key} = $1`, values);
}
