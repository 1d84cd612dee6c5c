import type { Tx } from "@assistant/kit/database/postgres.js";
import type { Keyring } from "@assistant/kit/database/seal.js";
import { newId } from "@assistant/kit/process/id.js";
import { conflict, exhausted } from "@assistant/kit/wire/fault.js";
import type { MagicLink } from "@assistant/proto/assistant/identity/v1/magic_links.js";
import { countMagicLinks, insertMagicLink } from "../store/magic-links.js";
import type { ServiceAccountRow } from "../store/service-accounts.js";
import { linkLookup, newLinkToken, sealLinkToken } from "./token.js";

export interface LinkWish {
  /** Undefined: the link signs in as the account itself. */
  useCaseId?: string | undefined;
  lifetimeS: number;
  /** Undefined: without limit. */
  maxUses: number | undefined;
}

/**
 * Makes a link of an account that the transaction holds: 409 where it is disabled or has 200 that work, 429 where it
 * got 20 within the hour.
 */
export async function makeLink(
  tx: Tx,
  account: ServiceAccountRow,
  { useCaseId, lifetimeS, maxUses }: LinkWish,
  { keyring, nowMs }: { keyring: Keyring; nowMs: number },
): Promise<MagicLink> {
  await requireRoom(tx, account, nowMs);
  const token = newLinkToken();
  const key = { id: newId("mgl"), orgId: account.org_id };
  const expiresAt = new Date(nowMs + lifetimeS * 1_000);
  await insertMagicLink(tx, {
    ...key,
    kind: useCaseId === undefined ? "service_account" : "use_case_qr",
    serviceAccountId: account.id,
    useCaseId,
    lookup: linkLookup(keyring, token),
    sealed: sealLinkToken(keyring, token, key),
    maxUses,
    createdAt: new Date(nowMs),
    expiresAt,
  });
  return { token_id: key.id, token, expires_at: expiresAt };
}

const HOUR_MS = 3_600_000;
const HOURLY_MAX = 20;
const WORKING_MAX = 200;

async function requireRoom(tx: Tx, { org_id, id, status }: ServiceAccountRow, nowMs: number): Promise<void> {
  if (status !== "active") {
    throw conflict("state");
  }
  const since = new Date(nowMs - HOUR_MS);
  const { recent, first_at, working } = await countMagicLinks(tx, org_id, id, since, new Date(nowMs));
  if (recent >= HOURLY_MAX) {
    const waitMs = (first_at?.getTime() ?? nowMs) + HOUR_MS - nowMs;
    throw exhausted(Math.max(1, Math.ceil(waitMs / 1_000)));
  }
  if (working >= WORKING_MAX) {
    throw conflict("state");
  }
}
