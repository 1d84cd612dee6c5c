import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import { conflict, denied, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { type OrgDomain, SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { pageOf } from "../paging.js";
import type { NounParts } from "../parts.js";
import { managesOrg, requireOrgInSight } from "../rights.js";
import type { Slice } from "../store/order.js";
import {
  findOrgDomain,
  insertOrgDomain,
  listOrgDomains,
  type OrgDomainRow,
  removeOrgDomain,
} from "../store/org-domains.js";
import { findOrg } from "../store/orgs.js";

type Rpcs = Pick<typeof rpcs, "putOrgDomain" | "listOrgDomains" | "deleteOrgDomain">;

export function orgDomains({ db, write, pager, clock }: NounParts & { clock: () => number }): Handlers<Rpcs> {
  return {
    putOrgDomain: async (request, call) => {
      const [orgId, domain] = [given(request.org_id), given(request.domain)];
      await requireOrg(db, orgId, call.caller);
      requirePlatformAdmin(call.caller);
      return write(call, rpcs.putOrgDomain, request, async (tx) => {
        const fresh = await insertOrgDomain(tx, orgId, domain, new Date(clock()));
        const row = fresh ?? (await findOrgDomain(tx, orgId, domain));
        if (row === undefined) {
          throw conflict("name_taken");
        }
        return { org_domain: present(row) };
      });
    },

    listOrgDomains: async (request, call) => {
      const orgId = given(request.org_id);
      await requireOrg(db, orgId, call.caller);
      if (!managesOrg(call.caller)) {
        throw denied();
      }
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        about: [orgId],
        place: (row) => row.domain,
        find: (slice: Slice<string>) => listOrgDomains(db, orgId, slice),
      });
      return { items: rows.map(present), next_page_token };
    },

    deleteOrgDomain: async (request, call) => {
      const orgId = given(request.org_id);
      await requireOrg(db, orgId, call.caller);
      requirePlatformAdmin(call.caller);
      return write(call, rpcs.deleteOrgDomain, request, async (tx) => {
        if (!(await removeOrgDomain(tx, orgId, given(request.domain)))) {
          throw missing();
        }
        return { message: "Domain removed" };
      });
    },
  };
}

async function requireOrg(db: Postgres, orgId: string, caller: Caller): Promise<void> {
  requireOrgInSight(caller, orgId);
  if ((await findOrg(db, orgId)) === undefined) {
    throw missing();
  }
}

function requirePlatformAdmin({ platformAdmin }: Caller): void {
  if (!platformAdmin) {
    throw denied();
  }
}

function present({ domain, verified_at }: OrgDomainRow): OrgDomain {
  return { domain, verified_at };
}
