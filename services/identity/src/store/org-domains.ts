import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";
import type { Slice } from "./order.js";

export interface OrgDomainRow {
  domain: string;
  org_id: string;
  verified_at: Date;
}

/** Undefined: the domain is there already, of this org or of another. */
export async function insertOrgDomain(tx: Tx, orgId: string, domain: string, verifiedAt: Date) {
  return (await tx.change<OrgDomainRow>(inserting, [orgId, domain, verifiedAt]))[0];
}

export async function findOrgDomain(sql: Sql, orgId: string, domain: string): Promise<OrgDomainRow | undefined> {
  return (await sql.query<OrgDomainRow>("org_domains_find", finding, [orgId, domain]))[0];
}

export async function hasOrgDomain(sql: Sql, orgId: string): Promise<boolean> {
  return (await sql.query("org_domains_find_any", findingAny, [orgId])).length > 0;
}

/** By name. */
export function listOrgDomains(sql: Sql, orgId: string, { before, limit }: Slice<string>): Promise<OrgDomainRow[]> {
  return sql.query<OrgDomainRow>("org_domains_list", listing, [orgId, before ?? "", limit]);
}

/** False: the org has no such domain. */
export async function removeOrgDomain(tx: Tx, orgId: string, domain: string): Promise<boolean> {
  return (await tx.change(removing, [orgId, domain])).length > 0;
}

const columns = "domain, org_id, verified_at";
const finding = `select ${columns} from org_domains where org_id = $1 and domain = $2`;
const findingAny = "select from org_domains where org_id = $1 limit 1";
const listing = `select ${columns} from org_domains where org_id = $1 and domain > $2 order by domain limit $3`;
const told = ["domain"];

// Versions come from the sequence that memberships have: they grow also across the end of a domain and its return.
const inserting = changing({
  name: "org_domains_insert",
  effect: `insert into org_domains (org_id, domain, verified_at, version)
    values ($1, $2, $3, nextval('membership_versions')) on conflict do nothing
    returning domain as id, ${columns}, version`,
  event: { type: "identity.org_domain.created", columns: told },
});

const removing = changing({
  name: "org_domains_remove",
  effect: `delete from org_domains where org_id = $1 and domain = $2
    returning domain as id, domain, org_id, nextval('membership_versions') as version`,
  event: { type: "identity.org_domain.deleted", columns: told },
});
