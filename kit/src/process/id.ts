import { typeidUnboxed } from "typeid-js";

/** A new id: the prefix names the kind, the rest is a UUIDv7, so ids sort by the time they were made. */
export function newId(prefix: string): string {
  return typeidUnboxed(prefix);
}

/** The prefix of an id; undefined if it has not the form of ours, so that it can only be unknown. */
export function idPrefix(id: string): string | undefined {
  return TYPE_ID.test(id) ? id.slice(0, -27) : undefined;
}

// Crockford's base32 without i, l, o, u; 26 characters hold 130 bits, so the first is at most 7.
const TYPE_ID = /^[a-z][a-z_]{0,61}[a-z]_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
