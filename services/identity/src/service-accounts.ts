import { newId } from "@assistant/kit/process/id.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import type { ServiceAccount } from "@assistant/proto/assistant/identity/v1/service_accounts.js";
import { closeAccount } from "./links/closed-accounts.js";
import { refuseGuestAccount } from "./links/guest-account.js";
import { pageOf } from "./paging.js";
import type { NounParts } from "./parts.js";
import { requireAdmin, requireSight } from "./rights.js";
import type { Slice } from "./store/order.js";
import {
  findServiceAccount,
  insertServiceAccount,
  listServiceAccounts,
  lockServiceAccount,
  removeServiceAccount,
  type ServiceAccountRow,
  updateServiceAccount,
} from "./store/service-accounts.js";
import { presentRole, presentStatus, readRole, readStatus } from "./words.js";

type Rpcs = Pick<
  typeof rpcs,
  "createServiceAccount" | "getServiceAccount" | "listServiceAccounts" | "updateServiceAccount" | "deleteServiceAccount"
>;

export interface AccountsParts extends NounParts {
  clock: () => number;
}

export function serviceAccounts(parts: AccountsParts): Handlers<Rpcs> {
  return { ...readers(parts), ...writers(parts) };
}

type Reads = Pick<Rpcs, "getServiceAccount" | "listServiceAccounts">;

function readers({ db, pager }: NounParts): Handlers<Reads> {
  return {
    getServiceAccount: async (request, call) => {
      const id = given(request.service_account_id);
      requireSight(call.caller, id);
      return answer(found(await findServiceAccount(db, call.caller.orgId, id)), call);
    },

    listServiceAccounts: async (request, call) => {
      requireAdmin(call.caller);
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        place: (row) => row.id,
        find: (slice: Slice<string>) => listServiceAccounts(db, call.caller.orgId, slice),
      });
      return { items: rows.map(present), next_page_token };
    },
  };
}

function writers({ write, clock }: AccountsParts): Handlers<Omit<Rpcs, keyof Reads>> {
  return {
    createServiceAccount: async (request, call) => {
      requireAdmin(call.caller);
      const role = readRole(request.role) ?? "member";
      const fresh = { id: newId("sva"), orgId: call.caller.orgId, name: given(request.name), role };
      return write.single(call, rpcs.createServiceAccount, request, async (tx) =>
        answer(await insertServiceAccount(tx, fresh), call),
      );
    },

    updateServiceAccount: async (request, call) => {
      const id = given(request.service_account_id);
      requireSight(call.caller, id);
      return write(call, rpcs.updateServiceAccount, request, async (tx) => {
        const row = found(await lockServiceAccount(tx, call.caller.orgId, id));
        requireAdmin(call.caller);
        requireMatch(call, row.version);
        const { name = row.name } = request;
        const role = readRole(request.role) ?? row.role;
        const status = readStatus(request.status) ?? row.status;
        if (role !== row.role) {
          await refuseGuestAccount(tx, row, ["role"]);
        }
        if (status === "disabled") {
          await closeAccount(tx, row, new Date(clock()));
        }
        const isSame = name === row.name && role === row.role && status === row.status;
        const change = { name, role, status };
        return answer(isSame ? row : await updateServiceAccount(tx, row.org_id, id, change), call);
      });
    },

    deleteServiceAccount: async (request, call) => {
      const id = given(request.service_account_id);
      requireSight(call.caller, id);
      return write(call, rpcs.deleteServiceAccount, request, async (tx) => {
        const row = found(await lockServiceAccount(tx, call.caller.orgId, id));
        requireAdmin(call.caller);
        requireMatch(call, row.version);
        await closeAccount(tx, row, new Date(clock()));
        await removeServiceAccount(tx, row.org_id, id);
        return { message: "Service account deleted" };
      });
    },
  };
}

function found(row: ServiceAccountRow | undefined): ServiceAccountRow {
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function present({ id, name, role, status }: ServiceAccountRow): ServiceAccount {
  return { id, name, role: presentRole(role), status: presentStatus(status) };
}

function answer(row: ServiceAccountRow, call: Call): { service_account: ServiceAccount } {
  call.reply.version = row.version;
  return { service_account: present(row) };
}
