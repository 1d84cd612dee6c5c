import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing, type Statement } from "@assistant/kit/database/statement.js";
import { one } from "./one.js";

export type LinkKind = "service_account" | "use_case_qr";

export interface MagicLinkRow {
  id: string;
  org_id: string;
  /** Null: the link works no more. */
  sealed: Buffer | null;
  expires_at: Date;
}

export interface NewMagicLink {
  id: string;
  orgId: string;
  kind: LinkKind;
  serviceAccountId: string;
  useCaseId: string | undefined;
  lookup: Buffer;
  sealed: Buffer;
  maxUses: number | undefined;
  createdAt: Date;
  expiresAt: Date;
}

export async function insertMagicLink(tx: Tx, fresh: NewMagicLink): Promise<MagicLinkRow> {
  const { id, orgId, kind, serviceAccountId, useCaseId = null, lookup, sealed, maxUses = null } = fresh;
  const values = [id, orgId, kind, serviceAccountId, useCaseId, lookup, sealed, maxUses];
  return one(await tx.change<MagicLinkRow>(inserting, [...values, fresh.createdAt, fresh.expiresAt]));
}

/** Whose links: those that sign in as an account, or those that lead to a use case. */
export type LinkOwner = { serviceAccountId: string } | { useCaseId: string };

/** The links that still work, newest first. */
export function listMagicLinks(sql: Sql, orgId: string, owner: LinkOwner, now: Date) {
  const { name, id } = column(owner);
  return sql.query<MagicLinkRow>(`magic_links_list_${name}`, listing[name], [orgId, id, now]);
}

/** One link that still works. */
export async function findMagicLink(sql: Sql, orgId: string, owner: LinkOwner, id: string, now: Date) {
  const { name, id: ownerId } = column(owner);
  const values = [orgId, ownerId, now, id];
  return (await sql.query<MagicLinkRow>(`magic_links_find_${name}`, finding[name], values))[0];
}

export interface LinkCounts {
  /** Made since a time. */
  recent: number;
  /** When the first of these was made. */
  first_at: Date | null;
  /** That still work. */
  working: number;
}

/** How many links an account has got; whoever decides by it holds the account. */
export async function countMagicLinks(sql: Sql, orgId: string, accountId: string, since: Date, now: Date) {
  return one(await sql.query<LinkCounts>("magic_links_count", counting, [orgId, accountId, since, now]));
}

/** Revokes a link, whether it still works or not; undefined: there is none that has not been revoked. */
export async function revokeMagicLink(tx: Tx, orgId: string, owner: LinkOwner, id: string, now: Date) {
  const { name, id: ownerId } = column(owner);
  return (await tx.change<{ id: string }>(revoking[name], [orgId, ownerId, now, id]))[0];
}

/** Revokes all links that have not run out, also those used up, whose sessions may go on; answers which. */
export function revokeMagicLinks(tx: Tx, orgId: string, owner: LinkOwner, now: Date) {
  const { name, id } = column(owner);
  return tx.change<{ id: string }>(revokingAll[name], [orgId, id, now]);
}

/** Tells that links have been shown, of an account or a use case. */
export async function tellShownLinks(tx: Tx, orgId: string, subjectId: string, linkIds: readonly string[]) {
  one(await tx.change(telling, [orgId, subjectId, linkIds]));
}

/** Forgets the tokens of some links that have run out, of all orgs; answers of how many. */
export async function unsealLinksBefore(sql: Sql, time: Date, limit: number): Promise<number> {
  return (await sql.query("magic_links_unseal", unsealing, [time, limit])).length;
}

/** Removes some links that ran out before a time, of all orgs; answers how many. */
export async function removeLinksBefore(sql: Sql, time: Date, limit: number): Promise<number> {
  return (await sql.query("magic_links_sweep", sweeping, [time, limit])).length;
}

type Column = "service_account_id" | "use_case_id";

function column(owner: LinkOwner): { name: Column; id: string } {
  return "useCaseId" in owner
    ? { name: "use_case_id", id: owner.useCaseId }
    : { name: "service_account_id", id: owner.serviceAccountId };
}

function eachOwner<Made>(make: (name: Column) => Made): Record<Column, Made> {
  return { service_account_id: make("service_account_id"), use_case_id: make("use_case_id") };
}

const columns = "id, org_id, sealed, expires_at";
const told = ["id", "kind", "service_account_id", "use_case_id"];
const working = "sealed is not null and expires_at > $3";

const inserting = changing({
  name: "magic_links_insert",
  effect: `insert into magic_links (id, org_id, kind, service_account_id, use_case_id, lookup, sealed, max_uses,
      created_at, expires_at, version)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1)
    returning ${columns}, kind, service_account_id, use_case_id, max_uses, version`,
  event: { type: "identity.magic_link.created", columns: [...told, "max_uses", "expires_at"] },
});

const listing = eachOwner(
  (name) => `select ${columns} from magic_links where org_id = $1 and ${name} = $2 and ${working} order by id desc`,
);

const finding = eachOwner(
  (name) => `select ${columns} from magic_links where org_id = $1 and ${name} = $2 and ${working} and id = $4`,
);

const counting = `
  select count(*) filter (where created_at > $3)::integer as recent, min(created_at) filter (where created_at > $3)
      as first_at, count(*) filter (where sealed is not null and expires_at > $4)::integer as working
  from magic_links where org_id = $1 and service_account_id = $2`;

const revoking = eachOwner((name) => revokingWhere(name, "revoke", "id = $4"));
const revokingAll = eachOwner((name) => revokingWhere(name, "revoke_all", "expires_at > $3::timestamptz"));

function revokingWhere(name: Column, verb: string, condition: string): Statement {
  return changing({
    name: `magic_links_${verb}_${name}`,
    effect: `update magic_links set revoked_at = $3::timestamptz, sealed = null, version = version + 1
      where org_id = $1 and ${name} = $2 and revoked_at is null and ${condition}
      returning id, org_id, kind, service_account_id, use_case_id, version`,
    event: { type: "identity.magic_link.revoked", columns: told },
  });
}

// Nothing changes, so the event has no version of its own to tell.
const telling = changing({
  name: "magic_links_tell_shown",
  effect: "select $2::text as id, $1::text as org_id, 0 as version, $3::text[] as link_ids",
  event: { type: "identity.magic_link.shown", columns: ["link_ids"] },
});

// Several replicas sweep at once: each takes what the others have not.
const unsealing = `
  update magic_links set sealed = null where id in (
    select id from magic_links where sealed is not null and expires_at <= $1
    order by expires_at limit $2 for update skip locked)
  returning id`;

const sweeping = `
  delete from magic_links where id in (
    select id from magic_links where expires_at < $1 order by expires_at limit $2 for update skip locked)
  returning id`;
