import { createHash } from "node:crypto";
import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { notOneOf, unknownId, type Violation, valueError } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { invalid, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { ProfileServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/profile_service.js";
import type { UserProfile } from "@assistant/proto/assistant/identity/v1/profiles.js";
import type { NounParts } from "../parts.js";
import { listFavorites } from "../store/favorites.js";
import { type LoginRow, listLogins } from "../store/logins.js";
import { listEnabledModels } from "../store/models.js";
import { findOrgMember } from "../store/org-members.js";
import {
  findProfile,
  listOAuthTokens,
  lockProfile,
  type OAuthTokenRow,
  type ProfileChange,
  type ProfileKey,
  type ProfileRow,
  updateProfile,
} from "../store/profiles.js";
import { presentLanguage, readLanguage } from "../words.js";
import { presentLogin } from "./logins.js";
import { ownerOf, sessionInSight } from "./owner.js";

type Rpcs = Pick<typeof rpcs, "getProfile" | "updateProfile" | "updatePreferredModel">;

export function profile({ db, write }: NounParts): Handlers<Rpcs> {
  return {
    getProfile: async (_request, call) => answer(await readProfile(db, call.caller), call),

    updateProfile: async (request, call) => {
      const key = ownerOf(call.caller);
      return write(call, rpcs.updateProfile, request, async (tx) => {
        await holdProfile(tx, call);
        const { active_org_id: activeOrgId } = request;
        if (activeOrgId !== undefined && !(await mayActIn(tx, call.caller, activeOrgId))) {
          throw invalid(unknownId("active_org_id"));
        }
        const preferredLanguage = readLanguage(request.preferred_language);
        return answer(await choose(tx, key, call, { preferredLanguage, activeOrgId }), call);
      });
    },

    updatePreferredModel: async (request, call) => {
      const key = ownerOf(call.caller);
      const preferredModel = given(request.model);
      return write(call, rpcs.updatePreferredModel, request, async (tx) => {
        await holdProfile(tx, call);
        const enabled = await listEnabledModels(tx, key.orgId);
        if (!enabled.includes(preferredModel)) {
          throw invalid(notEnabled(enabled));
        }
        return answer(await choose(tx, key, call, { preferredModel }), call);
      });
    },
  };
}

async function holdProfile(tx: Tx, call: Call): Promise<void> {
  if (!(await lockProfile(tx, ownerOf(call.caller)))) {
    throw missing();
  }
  requireMatch(call, versionOf(await readProfile(tx, call.caller)));
}

async function choose(tx: Tx, key: ProfileKey, { caller }: Call, change: ProfileChange): Promise<UserProfile> {
  await updateProfile(tx, key, change);
  return readProfile(tx, caller);
}

async function mayActIn(tx: Tx, { kind, orgId, principalId }: Caller, activeOrgId: string): Promise<boolean> {
  return kind === "user" ? (await findOrgMember(tx, activeOrgId, principalId)) !== undefined : activeOrgId === orgId;
}

/** Names as many models as a client can be told in one answer. */
function notEnabled(enabled: readonly string[]): Violation {
  if (enabled.length === 0) {
    return valueError(["model"], "No model is enabled");
  }
  let room = NAMED_MAX_BYTES;
  const named = enabled.filter((id) => {
    room -= Buffer.byteLength(id);
    return room >= 0;
  });
  return notOneOf(["model"], named);
}

// A fault travels in 8 KiB at most, and tells the names twice, the second time as JSON.
const NAMED_MAX_BYTES = 1_024;
const LOGINS_SHOWN = 50;

async function readProfile(sql: Sql, caller: Caller): Promise<UserProfile> {
  const key = { orgId: caller.orgId, principalId: caller.principalId };
  const row = await findProfile(sql, key);
  if (row === undefined) {
    throw missing();
  }
  const favorites = await listFavorites(sql, key);
  const logins = await listLogins(sql, key, sessionInSight(caller), { limit: LOGINS_SHOWN });
  return present(row, favorites, logins, await listOAuthTokens(sql, key));
}

function present(
  row: ProfileRow,
  favorites: string[],
  logins: readonly LoginRow[],
  tokens: readonly OAuthTokenRow[],
): UserProfile {
  const { id, preferred_language, preferred_model, active_org_id, created_at, updated_at, email } = row;
  const shown = tokens.map(({ credential_id, expires_at, ...rest }): [string, UserProfile["oauth_tokens"][string]] => [
    credential_id,
    { ...rest, expires_at: expires_at ?? undefined },
  ]);
  return {
    id,
    preferred_language: presentLanguage(preferred_language),
    preferred_model: preferred_model ?? undefined,
    active_org_id,
    favorite_use_cases: favorites,
    login_history: logins.map(presentLogin),
    created_at,
    updated_at,
    oauth_tokens: Object.fromEntries(shown),
    email: email ?? undefined,
  };
}

function answer(found: UserProfile, call: Call): { profile: UserProfile } {
  call.reply.version = versionOf(found);
  return { profile: found };
}

/** Much of a profile changes elsewhere, a login, a model: its version is a number that stands for all that is shown. */
function versionOf(shown: UserProfile): number {
  return createHash("sha256").update(JSON.stringify(shown)).digest().readUIntBE(0, VERSION_BYTES);
}

// As much as a number holds exactly.
const VERSION_BYTES = 6;
