import { conflict, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { SessionsServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { requireAdmin, requireSight } from "./rights.js";
import { type KeysParts, makeKey, presentOnce, requireRoom } from "./service-account-keys.js";
import { endSessions } from "./sessions/ending.js";
import {
  insertServiceAccountKey,
  lockServiceAccountKey,
  replaceServiceAccountKey,
} from "./store/service-account-keys.js";
import { lockServiceAccount } from "./store/service-accounts.js";

/** A new key in place of another, both of them good for a while, so that no program stands without one. */
export function serviceAccountKeyRotation({
  write,
  keyring,
  clock,
}: KeysParts): Handlers<Pick<typeof rpcs, "rotateServiceAccountKey">> {
  return {
    rotateServiceAccountKey: async (request, call) => {
      const accountId = given(request.service_account_id);
      requireSight(call.caller, accountId);
      const { orgId } = call.caller;
      return write(call, rpcs.rotateServiceAccountKey, request, async (tx) => {
        const account = await lockServiceAccount(tx, orgId, accountId);
        const old = account && (await lockServiceAccountKey(tx, orgId, accountId, given(request.key_id)));
        if (account === undefined || old === undefined) {
          throw missing();
        }
        requireAdmin(call.caller);
        requireMatch(call, old.version);
        const nowMs = clock();
        if (old.replaced_at !== null || old.expires_at.getTime() <= nowMs) {
          throw conflict("state");
        }
        const overlapS = request.overlap_s ?? OVERLAP_S;
        await replaceServiceAccountKey(tx, old, new Date(nowMs), new Date(nowMs + overlapS * 1_000));
        if (overlapS === 0) {
          await endSessions(tx, orgId, { keyId: old.id });
        }
        await requireRoom(tx, orgId, accountId, nowMs);
        const plan = { account, scopes: old.scopes, expiresInS: request.expires_in_s };
        const { fresh, secret } = makeKey(plan, keyring, nowMs);
        const row = await insertServiceAccountKey(tx, fresh);
        call.reply.version = row.version;
        return { service_account_key: presentOnce(row, secret) };
      });
    },
  };
}

const OVERLAP_S = 86_400;
