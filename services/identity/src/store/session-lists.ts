import type { Sql } from "@assistant/kit/database/postgres.js";
import { last, type Slice } from "./order.js";

export interface SessionRow {
  id: string;
  org_id: string;
  principal_id: string;
  amr: string[];
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
  address: string | null;
  user_agent: string | null;
  use_case_id: string | null;
}

/** The live sessions of a principal, whichever org they were begun in. */
export function listSessionsOf(sql: Sql, principalId: string, now: Date, slice: Slice<string>) {
  const values = [principalId, now, slice.before ?? last, slice.limit];
  return sql.query<SessionRow>("sessions_list_of", listingOf, values);
}

/** Who in an org asks about sessions, and about whose. */
export interface OrgSessionsView {
  orgId: string;
  /** Shows those of platform admins too. */
  platformAdmin: boolean;
  principalId: string | undefined;
}

/** The live sessions that were begun in an org. */
export function listSessions(sql: Sql, view: OrgSessionsView, now: Date, slice: Slice<string>) {
  const { orgId, platformAdmin, principalId } = view;
  const values = [orgId, now, slice.before ?? last, slice.limit, platformAdmin];
  return principalId === undefined
    ? sql.query<SessionRow>("sessions_list", listing, values)
    : sql.query<SessionRow>("sessions_list_one", listingOne, [...values, principalId]);
}

/** A live session of an org, if it may be shown. */
export async function findSession(sql: Sql, view: OrgSessionsView, now: Date, id: string) {
  const { orgId, platformAdmin } = view;
  return (await sql.query<SessionRow>("sessions_find", finding, [orgId, now, id, platformAdmin]))[0];
}

/** A live session of a principal. */
export async function findSessionOf(sql: Sql, principalId: string, now: Date, id: string) {
  return (await sql.query<SessionRow>("sessions_find_of", findingOf, [principalId, now, id]))[0];
}

const columns = `id, org_id, principal_id, amr, created_at, coalesce(last_used_at, created_at) as last_used_at, expires_at,
  address, user_agent, use_case_id`;
const live = "ended_at is null and expires_at > $2";
const shownIf = (platformAdmin: string) => `(${platformAdmin} or not exists (
  select from users where users.id = principal_id and platform_admin))`;
const page = "order by id desc limit $4";

const listingOf = `select ${columns} from sessions where principal_id = $1 and ${live} and id < $3 ${page}`;
const inOrg = `select ${columns} from sessions where org_id = $1 and ${live}`;
const listing = `${inOrg} and id < $3 and ${shownIf("$5")} ${page}`;
const listingOne = `${inOrg} and id < $3 and ${shownIf("$5")} and principal_id = $6 ${page}`;
const finding = `${inOrg} and id = $3 and ${shownIf("$4")}`;
const findingOf = `select ${columns} from sessions where principal_id = $1 and ${live} and id = $3`;
