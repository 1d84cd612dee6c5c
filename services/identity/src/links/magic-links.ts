import type { Call } from "@assistant/kit/wire/call.js";
import { missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { LinksServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/links_service.js";
import type { NounParts } from "../parts.js";
import { requireAdmin, requireSight } from "../rights.js";
import { endSessions } from "../sessions/ending.js";
import { revokeMagicLink } from "../store/magic-links.js";
import { findServiceAccount, lockServiceAccount } from "../store/service-accounts.js";
import { refuseGuestAccount } from "./guest-account.js";
import { makeLink } from "./link-making.js";
import { type ReadingParts, readLink, readLinks } from "./link-reading.js";

export interface LinksParts extends NounParts, ReadingParts {}

type Rpcs = Pick<typeof rpcs, "createMagicLink" | "listMagicLinks" | "getMagicLink" | "deleteMagicLink">;

/** The links of service accounts, for admins. An account knows that it exists, so it is told 403 and not 404. */
export function magicLinks(parts: LinksParts): Handlers<Rpcs> {
  const { write, keyring, clock } = parts;
  return {
    createMagicLink: async (request, call) => {
      const accountId = readAccountId(request, call);
      return write(call, rpcs.createMagicLink, request, async (tx) => {
        const account = found(await lockServiceAccount(tx, call.caller.orgId, accountId));
        requireAdmin(call.caller);
        await refuseGuestAccount(tx, account);
        const { expires_in_s: lifetimeS = LIFETIME_S, max_uses: maxUses = 1 } = request;
        return { magic_link: await makeLink(tx, account, { lifetimeS, maxUses }, { keyring, nowMs: clock() }) };
      });
    },

    listMagicLinks: async (request, call) => {
      const { orgId } = call.caller;
      const serviceAccountId = readAccountId(request, call);
      return write(call, rpcs.listMagicLinks, request, async (tx) => {
        found(await findServiceAccount(tx, orgId, serviceAccountId));
        requireAdmin(call.caller);
        return { items: await readLinks(tx, orgId, { serviceAccountId }, parts) };
      });
    },

    getMagicLink: async (request, call) => {
      const { orgId } = call.caller;
      const serviceAccountId = readAccountId(request, call);
      return write(call, rpcs.getMagicLink, request, async (tx) => {
        found(await findServiceAccount(tx, orgId, serviceAccountId));
        requireAdmin(call.caller);
        return { magic_link: await readLink(tx, orgId, { serviceAccountId }, given(request.token_id), parts) };
      });
    },

    deleteMagicLink: async (request, call) => {
      const { orgId } = call.caller;
      const serviceAccountId = readAccountId(request, call);
      const linkId = given(request.token_id);
      return write(call, rpcs.deleteMagicLink, request, async (tx) => {
        found(await findServiceAccount(tx, orgId, serviceAccountId));
        requireAdmin(call.caller);
        found(await revokeMagicLink(tx, orgId, { serviceAccountId }, linkId, new Date(clock())));
        await endSessions(tx, orgId, { linkId });
        return { message: "Magic link revoked" };
      });
    },
  };
}

const LIFETIME_S = 86_400;

function readAccountId(request: { service_account_id?: string | undefined }, { caller }: Call): string {
  const id = given(request.service_account_id);
  requireSight(caller, id);
  return id;
}

function found<Found>(it: Found | undefined): Found {
  if (it === undefined) {
    throw missing();
  }
  return it;
}
