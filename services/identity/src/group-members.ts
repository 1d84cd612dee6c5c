import { unknownId } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, invalid, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { GroupMember } from "@assistant/proto/assistant/identity/v1/group_members.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { holdGroup, visibleGroup } from "./groups.js";
import { refuseGuestAccount } from "./links/guest-account.js";
import { pageOf } from "./paging.js";
import type { NounParts } from "./parts.js";
import {
  findGroupMember,
  type GroupMemberRow,
  holdPrincipal,
  insertGroupMember,
  listGroupMembers,
  lockGroupMember,
  removeGroupMember,
} from "./store/group-members.js";
import type { Slice } from "./store/order.js";

type Rpcs = Pick<typeof rpcs, "createGroupMember" | "getGroupMember" | "listGroupMembers" | "deleteGroupMember">;

/** Whoever may see a group may see who is in it. */
export function groupMembers({ db, write, pager }: NounParts): Handlers<Rpcs> {
  return {
    createGroupMember: (request, call) =>
      write(call, rpcs.createGroupMember, request, async (tx) => {
        const group = await holdGroup(tx, call.caller, given(request.group_id));
        const orgId = group.org_id;
        const fresh = { orgId, groupId: group.id, principalId: given(request.principal_id) };
        const isThere = (await findGroupMember(tx, orgId, group.id, fresh.principalId)) !== undefined;
        if (!isThere && !(await holdPrincipal(tx, orgId, fresh.principalId))) {
          throw invalid(unknownId("principal_id"));
        }
        await refuseGuestAccount(tx, { org_id: orgId, id: fresh.principalId }, ["principal_id"]);
        const row = isThere ? undefined : await insertGroupMember(tx, { ...fresh, manager: request.manager ?? false });
        if (row === undefined) {
          throw conflict("id_taken", ["principal_id"]);
        }
        return answer(row, call);
      }),

    getGroupMember: async (request, call) => {
      const group = await visibleGroup(db, call.caller, given(request.group_id));
      return answer(found(await findGroupMember(db, group.org_id, group.id, given(request.principal_id))), call);
    },

    listGroupMembers: async (request, call) => {
      const group = await visibleGroup(db, call.caller, given(request.group_id));
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        about: [group.id],
        place: (row) => row.place,
        find: (slice: Slice<number>) => listGroupMembers(db, group.org_id, group.id, slice),
      });
      return { items: rows.map(present), next_page_token };
    },

    deleteGroupMember: (request, call) =>
      write(call, rpcs.deleteGroupMember, request, async (tx) => {
        const group = await holdGroup(tx, call.caller, given(request.group_id));
        const row = found(await lockGroupMember(tx, group.org_id, group.id, given(request.principal_id)));
        requireMatch(call, row.version);
        await removeGroupMember(tx, group.org_id, group.id, row.principal_id);
        return { message: "Member removed" };
      }),
  };
}

function present({ principal_id, manager }: GroupMemberRow): GroupMember {
  return { principal_id, manager };
}

function found(row: GroupMemberRow | undefined): GroupMemberRow {
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function answer(row: GroupMemberRow, call: Call): { group_member: GroupMember } {
  call.reply.version = row.version;
  return { group_member: present(row) };
}
