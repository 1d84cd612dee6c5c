import type { Caller } from "@assistant/kit/caller/caller.js";
import { newId } from "@assistant/kit/process/id.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { denied, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { Org } from "@assistant/proto/assistant/identity/v1/orgs.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { pageOf } from "./paging.js";
import type { NounParts } from "./parts.js";
import { managesOrg, requireOrgInSight } from "./rights.js";
import type { Slice } from "./store/order.js";
import { findOrg, insertOrg, listOrgs, lockOrg, type OrgRow, updateOrg } from "./store/orgs.js";
import { presentLanguage, readLanguage } from "./words.js";

type Rpcs = Pick<typeof rpcs, "createOrg" | "getOrg" | "listOrgs" | "updateOrg">;

export function orgs({ db, write, pager }: NounParts): Handlers<Rpcs> {
  return {
    createOrg: async (request, call) => {
      if (!call.caller.platformAdmin) {
        throw denied();
      }
      const fresh = {
        id: newId("org"),
        name: given(request.name),
        defaultLanguage: readLanguage(request.default_language) ?? "en",
      };
      return write.single(call, rpcs.createOrg, request, async (tx) => answer(await insertOrg(tx, fresh), call));
    },

    getOrg: async (request, call) => {
      const id = given(request.org_id);
      requireOrgInSight(call.caller, id);
      return answer(found(await findOrg(db, id)), call);
    },

    listOrgs: async (request, call) => {
      const find = (slice: Slice<string>) => visibleOrgs(call.caller, slice);
      const { rows, next_page_token } = await pageOf(pager, request, call, { place: (row) => row.id, find });
      return { items: rows.map(present), next_page_token };
    },

    updateOrg: async (request, call) => {
      const id = given(request.org_id);
      requireOrgInSight(call.caller, id);
      return write(call, rpcs.updateOrg, request, async (tx) => {
        const row = found(await lockOrg(tx, id));
        if (!managesOrg(call.caller)) {
          throw denied();
        }
        requireMatch(call, row.version);
        const { name = row.name } = request;
        const defaultLanguage = readLanguage(request.default_language) ?? row.default_language;
        const isSame = name === row.name && defaultLanguage === row.default_language;
        return answer(isSame ? row : await updateOrg(tx, id, { name, defaultLanguage }), call);
      });
    },
  };

  async function visibleOrgs(caller: Caller, slice: Slice<string>): Promise<OrgRow[]> {
    if (caller.platformAdmin) {
      return listOrgs(db, slice);
    }
    const own = await findOrg(db, caller.orgId);
    return own === undefined ? [] : [own];
  }
}

function present({ id, name, default_language }: OrgRow): Org {
  return { id, name, default_language: presentLanguage(default_language) };
}

function found(row: OrgRow | undefined): OrgRow {
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function answer(row: OrgRow, call: Call): { org: Org } {
  call.reply.version = row.version;
  return { org: present(row) };
}
