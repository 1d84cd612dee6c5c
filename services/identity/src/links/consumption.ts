import type { Origin } from "@assistant/kit/database/origin.js";
import type { Postgres, Tx } from "@assistant/kit/database/postgres.js";
import type { Keyring } from "@assistant/kit/database/seal.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { Fault, refused } from "@assistant/kit/wire/fault.js";
import { GROUPS_MAX } from "../client.js";
import { grantScope } from "../granted-scope.js";
import { type OpenedSession, type OpeningParts, type SessionStart, sessionOpening } from "../sessions/opening.js";
import {
  holdLinkAccount,
  type SeenLinkRow,
  seeMagicLink,
  tellRefusedLink,
  type UsedLinkRow,
  useMagicLink,
} from "../store/magic-link-uses.js";
import { findServiceAccountPrincipal, type PrincipalRow } from "../store/principals.js";
import { isLinkToken, linkLookups } from "./token.js";

export interface ConsumptionParts extends OpeningParts {
  db: Postgres;
  keyring: Keyring;
  /** Sends events on their way. */
  relay: { wake(): void };
}

/** Who shows a token. */
export interface Holder extends Pick<Call, "client" | "requestId" | "traceparent"> {
  /** Asks for less than the link gives. */
  scope?: string | undefined;
}

/**
 * Signs in whoever has the token of a link, in one transaction with the use of the link and the login history. Throws
 * the same refusal, `invalid_grant`, for a link that is unknown, expired, revoked, used up, or whose account is closed.
 */
export async function consumeMagicLink(parts: ConsumptionParts, token: string, holder: Holder): Promise<OpenedSession> {
  const { db, keyring, clock, relay } = parts;
  if (!isLinkToken(token)) {
    throw refused(REFUSAL);
  }
  const lookups = linkLookups(keyring, token);
  const seen = await seeMagicLink(db, lookups, new Date(clock()));
  if (seen === undefined) {
    throw refused(REFUSAL);
  }
  const origin = originOf(seen, holder);
  try {
    return await db.transaction(origin, async (tx) => {
      await holdLinkAccount(tx, seen.org_id, seen.service_account_id);
      return signIn(parts, tx, lookups, holder);
    });
  } catch (error) {
    if (error instanceof Fault && error.kind === "refused" && error.message === REFUSAL) {
      await db.single({ ...origin, actorId: "" }, (tx) => tellRefusedLink(tx, seen.id, new Date(clock())));
    }
    throw error;
  } finally {
    relay.wake();
  }
}

/** What a link is for, to whoever has its token; undefined: it signs nobody in. Uses nothing up. */
export async function lookAtMagicLink(
  { db, keyring, clock }: Pick<ConsumptionParts, "db" | "keyring" | "clock">,
  token: string,
): Promise<SeenLinkRow | undefined> {
  const seen = isLinkToken(token) ? await seeMagicLink(db, linkLookups(keyring, token), new Date(clock())) : undefined;
  return seen?.working ? seen : undefined;
}

const REFUSAL = "invalid_grant";

async function signIn(parts: ConsumptionParts, tx: Tx, lookups: readonly Buffer[], holder: Holder) {
  const link = await useMagicLink(tx, lookups, new Date(parts.clock()));
  if (link === undefined) {
    throw refused(REFUSAL);
  }
  const account = await findServiceAccountPrincipal(tx, link.org_id, link.service_account_id, GROUPS_MAX);
  if (account === undefined) {
    throw refused(REFUSAL);
  }
  return sessionOpening(parts)(tx, startOf(link, account, holder));
}

function startOf(link: UsedLinkRow, principal: PrincipalRow, { client, scope }: Holder): SessionStart {
  const isGuest = link.use_case_id !== null;
  const method = isGuest ? "qr_link" : "magic_link";
  return {
    principal,
    granted: grantScope(scope, { role: isGuest ? "member" : principal.role, platformAdmin: false }),
    amr: [method],
    method,
    client,
    linkId: link.id,
    refreshable: true,
    // A guest goes with the link; a service account stays as long as its sessions do.
    ...(isGuest ? { useCaseId: link.use_case_id ?? undefined, endsAt: link.expires_at } : {}),
  };
}

function originOf(link: SeenLinkRow, { requestId, traceparent }: Holder): Origin {
  return { actorId: link.service_account_id, requestId, traceparent };
}
