import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Tx } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, denied, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import type { User } from "@assistant/proto/assistant/identity/v1/users.js";
import { pageOf } from "./paging.js";
import type { NounParts } from "./parts.js";
import { requireAdmin, requireEqual, requireSight } from "./rights.js";
import { endSessions } from "./sessions/ending.js";
import { findOrgWithNoOtherAdmin, hasOtherPlatformAdmin, lockAdmins } from "./store/admins.js";
import type { Slice } from "./store/order.js";
import { insertOrgMember, listOrgIdsOf } from "./store/org-members.js";
import { findUser, insertUser, listUsers, lockUser, type UserRow, updateUser } from "./store/users.js";
import { presentStatus, readRole, readStatus } from "./words.js";

type Rpcs = Pick<typeof rpcs, "createUser" | "getUser" | "listUsers" | "updateUser">;

export function users(parts: NounParts): Handlers<Rpcs> {
  return { ...readers(parts), ...writers(parts) };
}

type Reads = Pick<Rpcs, "getUser" | "listUsers">;

function readers({ db, pager }: NounParts): Handlers<Reads> {
  return {
    getUser: async (request, call) => {
      const id = given(request.user_id);
      requireSight(call.caller, id);
      return answer(found(await findUser(db, call.caller.orgId, id)), call);
    },

    listUsers: async (request, call) => {
      requireAdmin(call.caller);
      const { orgId } = call.caller;
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        place: (row) => row.id,
        find: (slice: Slice<string>) => listUsers(db, orgId, slice),
      });
      return { items: rows.map(present), next_page_token };
    },
  };
}

function writers({ write }: NounParts): Handlers<Omit<Rpcs, keyof Reads>> {
  return {
    createUser: async (request, call) => {
      requireAdmin(call.caller);
      const { orgId } = call.caller;
      const fresh = {
        id: newId("usr"),
        orgId,
        email: given(request.email),
        name: given(request.name),
        platformAdmin: false,
      };
      const role = readRole(request.role) ?? "member";
      return write(call, rpcs.createUser, request, async (tx) => {
        const row = await insertUser(tx, fresh);
        const member = row === undefined ? undefined : await insertOrgMember(tx, { orgId, userId: row.id, role });
        if (row === undefined || member === undefined) {
          throw conflict("name_taken", ["email"]);
        }
        return answer(row, call);
      });
    },

    updateUser: async (request, call) => {
      const id = given(request.user_id);
      const { caller } = call;
      requireSight(caller, id);
      return write(call, rpcs.updateUser, request, async (tx) => {
        const isDisabling = readStatus(request.status) === "disabled";
        if (isDisabling) {
          await lockAdmins(tx);
        }
        const row = found(await lockUser(tx, caller.orgId, id));
        requireSayOver(caller, row);
        requireMatch(call, row.version);
        const { name = row.name } = request;
        const status = readStatus(request.status) ?? row.status;
        if (name === row.name && status === row.status) {
          return answer(row, call);
        }
        if (isDisabling && row.status === "active") {
          await requireOtherAdmins(tx, row);
          await endAllSessions(tx, id);
        }
        return answer(await updateUser(tx, caller.orgId, id, { name, status }), call);
      });
    },
  };
}

/** A user's own org alone changes the user; to the other orgs the user is a guest. */
function requireSayOver(caller: Caller, row: UserRow): void {
  requireAdmin(caller);
  requireEqual(caller, row);
  if (row.org_id !== caller.orgId && !caller.platformAdmin) {
    throw denied();
  }
}

/** Every org keeps an admin who may sign in, and so does the platform. */
async function requireOtherAdmins(tx: Tx, { id, platform_admin }: UserRow): Promise<void> {
  const isLast =
    (await findOrgWithNoOtherAdmin(tx, id)) !== undefined || (platform_admin && !(await hasOtherPlatformAdmin(tx, id)));
  if (isLast) {
    throw conflict("state", ["status"]);
  }
}

/** For good: whoever is let in again later signs in again. */
async function endAllSessions(tx: Tx, userId: string): Promise<void> {
  for (const orgId of await listOrgIdsOf(tx, userId)) {
    await endSessions(tx, orgId, { principalId: userId });
  }
}

function found(row: UserRow | undefined): UserRow {
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function present({ id, email, name, status, platform_admin }: UserRow): User {
  return { id, email, name, status: presentStatus(status), platform_admin };
}

function answer(row: UserRow, call: Call): { user: User } {
  call.reply.version = row.version;
  return { user: present(row) };
}
