import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { Group } from "@assistant/proto/assistant/identity/v1/groups.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { pageOf } from "./paging.js";
import type { NounParts } from "./parts.js";
import { requireAdmin } from "./rights.js";
import { findGroupMember } from "./store/group-members.js";
import {
  findGroup,
  type GroupRow,
  insertGroup,
  listGroups,
  listGroupsOf,
  lockGroup,
  removeGroup,
  updateGroup,
} from "./store/groups.js";
import type { Slice } from "./store/order.js";

type Rpcs = Pick<typeof rpcs, "createGroup" | "getGroup" | "listGroups" | "updateGroup" | "deleteGroup">;

export function groups({ db, write, pager }: NounParts): Handlers<Rpcs> {
  return {
    createGroup: async (request, call) => {
      requireAdmin(call.caller);
      const fresh = { id: newId("grp"), orgId: call.caller.orgId, name: given(request.name) };
      return write.single(call, rpcs.createGroup, request, async (tx) => answer(await insertGroup(tx, fresh), call));
    },

    getGroup: async (request, call) => answer(await visibleGroup(db, call.caller, given(request.group_id)), call),

    listGroups: async (request, call) => {
      const { orgId, principalId, role } = call.caller;
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        // Who became an admin, or no longer is one, begins anew.
        about: [role],
        place: (row) => row.id,
        find: (slice: Slice<string>) =>
          role === "admin" ? listGroups(db, orgId, slice) : listGroupsOf(db, orgId, principalId, slice),
      });
      return { items: rows.map(present), next_page_token };
    },

    updateGroup: (request, call) =>
      write(call, rpcs.updateGroup, request, async (tx) => {
        const row = await holdGroup(tx, call.caller, given(request.group_id));
        requireMatch(call, row.version);
        const { name = row.name } = request;
        return answer(name === row.name ? row : await updateGroup(tx, row.org_id, row.id, name), call);
      }),

    deleteGroup: (request, call) =>
      write(call, rpcs.deleteGroup, request, async (tx) => {
        const row = await holdGroup(tx, call.caller, given(request.group_id));
        requireMatch(call, row.version);
        await removeGroup(tx, row.org_id, row.id);
        return { message: "Group deleted" };
      }),
  };
}

/** A group of the org for its admins, and for those who are in it; nobody else learns that it exists. */
export async function visibleGroup(sql: Sql, caller: Caller, id: string): Promise<GroupRow> {
  const row = await findGroup(sql, caller.orgId, id);
  const isVisible =
    caller.role === "admin" || (await findGroupMember(sql, caller.orgId, id, caller.principalId)) !== undefined;
  if (row === undefined || !isVisible) {
    throw missing();
  }
  return row;
}

/** Holds a group that the caller may write. */
export async function holdGroup(tx: Sql, caller: Caller, id: string): Promise<GroupRow> {
  await visibleGroup(tx, caller, id);
  requireAdmin(caller);
  const row = await lockGroup(tx, caller.orgId, id);
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function present({ id, name }: GroupRow): Group {
  return { id, name };
}

function answer(row: GroupRow, call: Call): { group: Group } {
  call.reply.version = row.version;
  return { group: present(row) };
}
