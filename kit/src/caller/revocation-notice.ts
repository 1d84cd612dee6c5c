import { Revocations } from "@assistant/proto/assistant/common/v1/callers.js";

/** The subject of the notices that tell of revocations. */
export const REVOKED = "identity.revoked";

/** Revocations as texts that a notice can carry, however many there are. */
export function writeRevocations({ sessions, principals }: Revocations): string[] {
  const parts: Revocations[] = [
    ...slices(sessions).map((slice) => ({ sessions: slice, principals: [] })),
    ...slices(principals).map((slice) => ({ sessions: [], principals: slice })),
  ];
  return parts.map((part) => Buffer.from(Revocations.encode(part).finish()).toString("base64"));
}

/** Throws for a text that is none of `writeRevocations`. */
export function readRevocations(text: string): Revocations {
  return Revocations.decode(Buffer.from(text, "base64"));
}

// Of the longest ids, 64 characters, these are 7,300 bytes of base64.
const SLICE = 60;

function slices<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / SLICE) }, (_, at) => all.slice(at * SLICE, (at + 1) * SLICE));
}
