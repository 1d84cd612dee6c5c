import type { Sql } from "@assistant/kit/database/postgres.js";

/** A session of which no token holds, or a principal of whom only tokens of some epoch or a later one do. */
export type RevocationRow =
  | { kind: "sid"; subject: string; min_epoch: null; expires_at: Date }
  | { kind: "sub"; subject: string; min_epoch: number; expires_at: Date };

/**
 * Common table expression that lists sessions as revoked; `sessions` selects their ids as `id`. It belongs into the
 * statement that ends them, which holds their rows.
 */
export function listingSessions(sessions: string): string {
  return `
    listed_sessions as (
      insert into revocations (subject, kind, expires_at)
      select id, 'sid', ${expiry} from (${sessions}) as revoked order by id
      on conflict (subject) do update set expires_at = excluded.expires_at, pushed_at = null),`;
}

/**
 * Common table expression that lists principals; `principals` selects their ids as `id` and as `epoch` the one that
 * their tokens must say from now on. It belongs into the statement that raises the epochs, which holds their rows.
 */
export function listingPrincipals(principals: string): string {
  return `
    listed_principals as (
      insert into revocations (subject, kind, min_epoch, expires_at)
      select id, 'sub', epoch, ${expiry} from (${principals}) as revoked order by id
      on conflict (subject) do update set
        min_epoch = greatest(revocations.min_epoch, excluded.min_epoch), expires_at = excluded.expires_at,
        pushed_at = null),`;
}

/** A page of what still matters, in the order of subjects. Whatever was committed before the first page is in one. */
export function listRevocations(sql: Sql, { after, limit }: { after: string; limit: number }) {
  return sql.query<RevocationRow>("revocations_list", listing, [after, limit]);
}

/** Some of what nobody has been told of. */
export function listUnpushedRevocations(sql: Sql, limit: number) {
  return sql.query<RevocationRow>("revocations_list_unpushed", listingUnpushed, [limit]);
}

/** Marks what everybody was told, unless it has changed since. */
export async function markRevocationsPushed(sql: Sql, rows: readonly RevocationRow[]): Promise<void> {
  const values = [rows.map((row) => row.subject), rows.map((row) => row.min_epoch)];
  await sql.query("revocations_mark_pushed", marking, values);
}

/** Removes some of what matters no more; answers how many. */
export async function removeExpiredRevocations(sql: Sql, limit: number): Promise<number> {
  return (await sql.query("revocations_sweep", sweeping, [limit])).length;
}

// A token lives ten minutes and five seconds of another clock. It may be signed with what was read just before this
// commits, which adds the time that a transaction and a call may take at most.
const expiry = "clock_timestamp() + interval '11 minutes'";

const columns = "kind, subject, min_epoch, expires_at";

const listing = `
  select ${columns} from revocations where subject > $1 and expires_at > now() order by subject limit $2`;

const listingUnpushed = `
  select ${columns} from revocations where pushed_at is null and expires_at > now() order by expires_at limit $1`;

// Other replicas mark the same ones, in whatever order: what somebody else holds is left alone.
const marking = `
  update revocations set pushed_at = now() where subject in (
    select subject from revocations
    join unnest($1::text[], $2::integer[]) as told (id, epoch) on subject = id and min_epoch is not distinct from epoch
    where pushed_at is null for update of revocations skip locked)`;

const sweeping = `
  delete from revocations where subject in (
    select subject from revocations where expires_at < now() - interval '1 minute'
    order by expires_at limit $1 for update skip locked)
  returning subject`;
