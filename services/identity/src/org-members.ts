import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Postgres, Tx } from "@assistant/kit/database/postgres.js";
import { unknownId } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, denied, invalid, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { OrgMember } from "@assistant/proto/assistant/identity/v1/org_members.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { pageOf } from "./paging.js";
import type { NounParts } from "./parts.js";
import { managesOrg, requireEqual, requireOrgInSight } from "./rights.js";
import { endSessions } from "./sessions/ending.js";
import { hasOtherAdmin, hasOtherPlatformAdmin, lockAdmins } from "./store/admins.js";
import type { Slice } from "./store/order.js";
import {
  type FoundOrgMemberRow,
  findOrgMember,
  insertOrgMember,
  listOrgMembers,
  lockOrgMember,
  type NewOrgMember,
  type OrgMemberRow,
  removeOrgMember,
  updateOrgMember,
} from "./store/org-members.js";
import { findOrg } from "./store/orgs.js";
import { findUser, findUserAnywhere } from "./store/users.js";
import { presentRole, readRole } from "./words.js";

type Rpcs = Pick<
  typeof rpcs,
  "createOrgMember" | "getOrgMember" | "listOrgMembers" | "updateOrgMember" | "deleteOrgMember"
>;

export function orgMembers(parts: NounParts): Handlers<Rpcs> {
  return { ...readers(parts), ...writers(parts) };
}

type Reads = Pick<Rpcs, "getOrgMember" | "listOrgMembers">;

function readers({ db, pager }: NounParts): Handlers<Reads> {
  return {
    getOrgMember: async (request, call) => {
      const [orgId, userId] = [given(request.org_id), given(request.user_id)];
      requireMemberInSight(call.caller, orgId, userId);
      return answer(found(await findOrgMember(db, orgId, userId)), call);
    },

    listOrgMembers: async (request, call) => {
      const orgId = given(request.org_id);
      await requireManagedOrg(db, orgId, call.caller);
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        about: [orgId],
        place: (row) => row.place,
        find: (slice: Slice<number>) => listOrgMembers(db, orgId, slice),
      });
      return { items: rows.map(present), next_page_token };
    },
  };
}

function writers({ db, write }: NounParts): Handlers<Omit<Rpcs, keyof Reads>> {
  return {
    createOrgMember: async (request, call) => {
      const orgId = given(request.org_id);
      await requireManagedOrg(db, orgId, call.caller);
      const fresh = { orgId, userId: given(request.user_id), role: given(readRole(request.role)) };
      return write(call, rpcs.createOrgMember, request, async (tx) => {
        await requireFree(tx, fresh, call.caller);
        const row = await insertOrgMember(tx, fresh);
        if (row === undefined) {
          // Another member has the same e-mail address, unless somebody else brought the user in meanwhile.
          const isThere = (await findOrgMember(tx, orgId, fresh.userId)) !== undefined;
          throw conflict(isThere ? "id_taken" : "name_taken", ["user_id"]);
        }
        return answer(row, call);
      });
    },

    updateOrgMember: async (request, call) => {
      const [orgId, userId] = [given(request.org_id), given(request.user_id)];
      requireMemberInSight(call.caller, orgId, userId);
      return write(call, rpcs.updateOrgMember, request, async (tx) => {
        const row = await holdMember(tx, orgId, userId, call);
        const role = readRole(request.role) ?? row.role;
        if (role === row.role) {
          return answer(row, call);
        }
        await requireOtherAdmin(tx, row, ["role"]);
        return answer(await updateOrgMember(tx, orgId, userId, role), call);
      });
    },

    deleteOrgMember: async (request, call) => {
      const [orgId, userId] = [given(request.org_id), given(request.user_id)];
      requireMemberInSight(call.caller, orgId, userId);
      return write(call, rpcs.deleteOrgMember, request, async (tx) => {
        const row = await holdMember(tx, orgId, userId, call);
        await requireOtherAdmin(tx, row, []);
        if (row.platform_admin && !(await hasOtherPlatformAdmin(tx, userId, orgId))) {
          throw conflict("state");
        }
        await removeOrgMember(tx, orgId, userId);
        // Should they come back one day, what they left open here does not come back with them.
        await endSessions(tx, orgId, { principalId: userId });
        return { message: "Member removed" };
      });
    },
  };
}

/** The org exists, and the caller manages it. */
async function requireManagedOrg(db: Postgres, orgId: string, caller: Caller): Promise<void> {
  requireOrgInSight(caller, orgId);
  if ((await findOrg(db, orgId)) === undefined) {
    throw missing();
  }
  if (!managesOrg(caller)) {
    throw denied();
  }
}

/** Members know of their own membership; the others' are for those who manage the org. */
function requireMemberInSight(caller: Caller, orgId: string, userId: string): void {
  requireOrgInSight(caller, orgId);
  if (!managesOrg(caller) && caller.principalId !== userId) {
    throw missing();
  }
}

/** Whom an org's admin may bring in: the org's own users; platform admins bring anybody. */
async function requireFree(tx: Tx, { orgId, userId }: NewOrgMember, caller: Caller): Promise<void> {
  if ((await findOrgMember(tx, orgId, userId)) !== undefined) {
    throw conflict("id_taken", ["user_id"]);
  }
  const user = caller.platformAdmin ? await findUserAnywhere(tx, userId) : await findUser(tx, orgId, userId);
  if (user === undefined) {
    throw invalid(unknownId("user_id"));
  }
}

/** Holds a membership that the caller may change, in turn with all that may take away admins. */
async function holdMember(tx: Tx, orgId: string, userId: string, call: Call): Promise<FoundOrgMemberRow> {
  await lockAdmins(tx);
  const row = found(await lockOrgMember(tx, orgId, userId));
  if (!managesOrg(call.caller)) {
    throw denied();
  }
  requireEqual(call.caller, row);
  requireMatch(call, row.version);
  return row;
}

async function requireOtherAdmin(tx: Tx, row: OrgMemberRow, path: readonly string[]): Promise<void> {
  if (row.role === "admin" && !(await hasOtherAdmin(tx, row.org_id, row.user_id))) {
    throw conflict("state", path);
  }
}

function found(row: FoundOrgMemberRow | undefined): FoundOrgMemberRow {
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function present({ user_id, role }: OrgMemberRow): OrgMember {
  return { user_id, role: presentRole(role) };
}

function answer(row: OrgMemberRow, call: Call): { org_member: OrgMember } {
  call.reply.version = row.version;
  return { org_member: present(row) };
}
