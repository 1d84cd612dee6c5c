import type { Role as RoleWord } from "@assistant/kit/caller/caller.js";
import type { Tx } from "@assistant/kit/database/postgres.js";
import { hmac, type Keyring } from "@assistant/kit/database/seal.js";
import { newId } from "@assistant/kit/process/id.js";
import { valueError } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, invalid, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import type {
  CreateServiceAccountKeyRequest,
  NewServiceAccountKey,
  ServiceAccountKey,
} from "@assistant/proto/assistant/identity/v1/service_account_keys.js";
import { refuseGuestAccount } from "./links/guest-account.js";
import { pageOf } from "./paging.js";
import type { NounParts } from "./parts.js";
import { requireAdmin, requireSight, rolesUpTo } from "./rights.js";
import { newSecret, SECRET_PURPOSE } from "./secret.js";
import { endSessions } from "./sessions/ending.js";
import type { Slice } from "./store/order.js";
import {
  countServiceAccountKeys,
  findServiceAccountKey,
  insertServiceAccountKey,
  listServiceAccountKeys,
  lockServiceAccountKey,
  removeServiceAccountKey,
  type ServiceAccountKeyRow,
} from "./store/service-account-keys.js";
import { findServiceAccount, lockServiceAccount, type ServiceAccountRow } from "./store/service-accounts.js";
import { presentRole, readRole } from "./words.js";

export interface KeysParts extends NounParts {
  keyring: Keyring;
  clock: () => number;
}

type Rpcs = Pick<
  typeof rpcs,
  "createServiceAccountKey" | "getServiceAccountKey" | "listServiceAccountKeys" | "deleteServiceAccountKey"
>;

export function serviceAccountKeys({ db, write, pager, keyring, clock }: KeysParts): Handlers<Rpcs> {
  return {
    createServiceAccountKey: async (request, call) => {
      const accountId = given(request.service_account_id);
      requireSight(call.caller, accountId);
      return write(call, rpcs.createServiceAccountKey, request, async (tx) => {
        const account = found(await lockServiceAccount(tx, call.caller.orgId, accountId));
        requireAdmin(call.caller);
        await refuseGuestAccount(tx, account);
        const now = clock();
        await requireRoom(tx, account.org_id, account.id, now);
        const scopes = readScopes(request.scopes, account.role);
        const { fresh, secret } = makeKey({ account, scopes, expiresInS: request.expires_in_s }, keyring, now);
        const row = await insertServiceAccountKey(tx, fresh);
        call.reply.version = row.version;
        return { service_account_key: presentOnce(row, secret) };
      });
    },

    getServiceAccountKey: async (request, call) => {
      const accountId = given(request.service_account_id);
      requireSight(call.caller, accountId);
      const row = await findServiceAccountKey(db, call.caller.orgId, accountId, given(request.key_id));
      return answer(found(row), call);
    },

    listServiceAccountKeys: async (request, call) => {
      const { orgId } = call.caller;
      const accountId = given(request.service_account_id);
      requireSight(call.caller, accountId);
      found(await findServiceAccount(db, orgId, accountId));
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        about: [accountId],
        place: (row) => row.id,
        find: (slice: Slice<string>) => listServiceAccountKeys(db, orgId, accountId, slice),
      });
      return { items: rows.map(present), next_page_token };
    },

    deleteServiceAccountKey: async (request, call) => {
      const accountId = given(request.service_account_id);
      requireSight(call.caller, accountId);
      return write(call, rpcs.deleteServiceAccountKey, request, async (tx) => {
        const row = found(await lockServiceAccountKey(tx, call.caller.orgId, accountId, given(request.key_id)));
        requireAdmin(call.caller);
        requireMatch(call, row.version);
        await removeServiceAccountKey(tx, row.org_id, accountId, row.id);
        await endSessions(tx, row.org_id, { keyId: row.id });
        return { message: "Key revoked" };
      });
    },
  };
}

/** Throws where a service account, which the caller holds, has as many keys as it may. */
export async function requireRoom(tx: Tx, orgId: string, accountId: string, nowMs: number): Promise<void> {
  if ((await countServiceAccountKeys(tx, orgId, accountId, new Date(nowMs))) >= KEYS_MAX) {
    throw conflict("state");
  }
}

export interface KeyPlan {
  account: ServiceAccountRow;
  scopes: readonly RoleWord[];
  expiresInS: number | undefined;
}

export function makeKey({ account, scopes, expiresInS }: KeyPlan, keyring: Keyring, nowMs: number) {
  const id = newId("key");
  const secret = newSecret(id);
  const fresh = {
    id,
    orgId: account.org_id,
    serviceAccountId: account.id,
    secretMac: hmac(keyring, secret, SECRET_PURPOSE),
    last4: secret.slice(-4),
    scopes,
    createdAt: new Date(nowMs),
    expiresAt: new Date(nowMs + (expiresInS ?? LIFETIME_S) * 1_000),
  };
  return { fresh, secret };
}

const KEYS_MAX = 20;
const LIFETIME_S = 90 * 86_400;

/** Which roles tokens of the key may have, none of them above the service account's own. */
function readScopes(scopes: CreateServiceAccountKeyRequest["scopes"], role: RoleWord): RoleWord[] {
  const words = scopes.map((scope) => given(readRole(scope)));
  const excess = words.findIndex((word) => !rolesUpTo(role).includes(word));
  if (excess >= 0) {
    throw invalid(valueError(["scopes", String(excess)], `The service account is only ${role}`));
  }
  return [...new Set(words)];
}

function found<Row>(row: Row | undefined): Row {
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function present(row: ServiceAccountKeyRow): ServiceAccountKey {
  const { id, last4, scopes, created_at, expires_at, last_used_at } = row;
  return {
    id,
    last4,
    scopes: scopes.map(presentRole),
    created_at,
    expires_at,
    last_used_at: last_used_at ?? undefined,
  };
}

/** A key with its secret, which is shown this once. */
export function presentOnce(row: ServiceAccountKeyRow, key: string): NewServiceAccountKey {
  const { id, last4, scopes, created_at, expires_at } = row;
  return { id, key, last4, scopes: scopes.map(presentRole), created_at, expires_at };
}

function answer(row: ServiceAccountKeyRow, call: Call): { service_account_key: ServiceAccountKey } {
  call.reply.version = row.version;
  return { service_account_key: present(row) };
}
