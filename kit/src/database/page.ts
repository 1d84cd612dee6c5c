import { violation } from "../rules/violation.js";
import type { Call } from "../wire/call.js";
import { invalid } from "../wire/fault.js";
import { type Keyring, seal, unseal } from "./seal.js";

/** Where a page ended: the values of the columns that the list is ordered by. */
export type Position = readonly (string | number)[];

/** Makes page tokens and reads them: opaque, tamper-proof, good for one list of one caller and six hours. */
export interface Pager {
  /** `about` names the list, its filters and its reader; a token opens only under the same. */
  seal(position: Position, about: readonly string[]): string;
  open(token: string, about: readonly string[]): Position;
}

export function createPager(keyring: Keyring, clock: () => number = Date.now): Pager {
  return {
    seal: (position, about) =>
      seal(keyring, JSON.stringify([clock(), position]), ["page", ...about]).toString("base64url"),
    open: (token, about) => {
      const [sealedAtMs, position] = openToken(keyring, token, ["page", ...about]);
      if (clock() - sealedAtMs > LIFETIME_MS) {
        throw invalid(violation(["page_token"], "page_token_expired", "Page token expired"));
      }
      return position;
    },
  };
}

/** Items on a page whose size the caller leaves open; the field rules tell it to readers of the document. */
export const PAGE_SIZE = 50;

/** What a page token is good for: one list, with its filters, of one caller in one org. */
export function aboutList({ rpc, caller }: Call, filters: readonly (string | undefined)[]): string[] {
  return [rpc, caller.orgId, caller.principalId, JSON.stringify(filters)];
}

const LIFETIME_MS = 6 * 3_600_000;

function openToken(keyring: Keyring, token: string, context: readonly string[]): readonly [number, Position] {
  try {
    const bytes = Buffer.from(token, "base64url");
    if (bytes.toString("base64url") !== token) {
      throw new Error("another spelling of the same bytes");
    }
    // Nobody but `seal` above could have made what opens, so it is a time and a position.
    return JSON.parse(unseal(keyring, bytes, context).toString()) as readonly [number, Position];
  } catch {
    // Whatever is wrong with it, damage, another list, another reader, an old key, the client can only start again.
    throw invalid(violation(["page_token"], "page_token_invalid", "Unknown page token"));
  }
}
