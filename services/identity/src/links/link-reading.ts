import type { Tx } from "@assistant/kit/database/postgres.js";
import type { Keyring } from "@assistant/kit/database/seal.js";
import type { Log } from "@assistant/kit/process/log.js";
import { missing } from "@assistant/kit/wire/fault.js";
import type { MagicLink } from "@assistant/proto/assistant/identity/v1/magic_links.js";
import {
  findMagicLink,
  type LinkOwner,
  listMagicLinks,
  type MagicLinkRow,
  tellShownLinks,
} from "../store/magic-links.js";
import { openLinkToken } from "./token.js";

export interface ReadingParts {
  keyring: Keyring;
  clock: () => number;
  log: Log;
}

/** The links of an owner that still work, newest first, and the event that they were shown. */
export async function readLinks(tx: Tx, orgId: string, owner: LinkOwner, parts: ReadingParts): Promise<MagicLink[]> {
  const rows = await listMagicLinks(tx, orgId, owner, new Date(parts.clock()));
  return showLinks(tx, orgId, owner, rows, parts);
}

/** One link of an owner that still works, and the event that it was shown; the Fault missing where there is none. */
export async function readLink(tx: Tx, orgId: string, owner: LinkOwner, id: string, parts: ReadingParts) {
  const row = await findMagicLink(tx, orgId, owner, id, new Date(parts.clock()));
  const [link] = row === undefined ? [] : await showLinks(tx, orgId, owner, [row], parts);
  if (link === undefined) {
    throw missing();
  }
  return link;
}

/** Opens links to be shown and tells that they were; one that does not open is left out, with a line in the log. */
export async function showLinks(
  tx: Tx,
  orgId: string,
  owner: LinkOwner,
  rows: readonly MagicLinkRow[],
  parts: ReadingParts,
): Promise<MagicLink[]> {
  const links = rows.flatMap((row) => openLink(row, parts) ?? []);
  const subject = "useCaseId" in owner ? owner.useCaseId : owner.serviceAccountId;
  await tellShownLinks(
    tx,
    orgId,
    subject,
    links.map(({ token_id }) => token_id),
  );
  return links;
}

function openLink({ id, org_id, sealed, expires_at }: MagicLinkRow, { keyring, log }: ReadingParts) {
  if (sealed === null) {
    return undefined;
  }
  try {
    const token = openLinkToken(keyring, sealed, { id, orgId: org_id });
    return { token_id: id, token, expires_at };
  } catch (error) {
    // The link works all the same, and the others are not to be lost with it.
    log.warn({ err: error, link: id }, "a link does not open with this keyring and cannot be shown");
    return undefined;
  }
}
