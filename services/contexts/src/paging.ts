import type { Pager } from "@assistant/kit/database/page.js";

/** Where a page of rows with positions ended. */
export function stackPosition(
  pager: Pager,
  token: string | undefined,
  list: readonly string[],
): { stackOrder: number; id: string } | undefined {
  if (token === undefined) return undefined;
  // A token opens only for the list that sealed it, and such lists seal a position and an id.
  const [stackOrder, id] = pager.open(token, list) as readonly [number, string];
  return { stackOrder, id };
}

/** Versions below this are on the page. */
export function versionPosition(pager: Pager, token: string | undefined, list: readonly string[]): number {
  if (token === undefined) return ABOVE_ALL_VERSIONS;
  // A token opens only for the list that sealed it, and lists of versions seal a version.
  const [version] = pager.open(token, list) as readonly [number];
  return version;
}

/** The largest integer of a column. */
const ABOVE_ALL_VERSIONS = 2_147_483_647;
