import type { Target } from "../format.js";

/** The ending of a name, in lower case and without the dot; empty if it has none. */
export function extensionOf(name: string): string {
  const { extension } = split(baseOf(name));
  return extension.toLowerCase();
}

/**
 * What to call the result of converting a file of this name: its last part, harmless on every system and in every
 * header, at most 150 characters, with the ending of the target.
 */
export function resultName(name: string, target: Target): string {
  const { stem } = split(baseOf(name));
  const suffix = `.${target}`;
  const short = cut(trimEnd(stem), NAME_MAX_LENGTH - suffix.length - DEVICE_MARK.length);
  const kept = trimEnd(short);
  const whole = kept === "" ? NAMELESS : kept;
  return `${isDevice(whole) ? DEVICE_MARK : ""}${whole}${suffix}`;
}

const NAME_MAX_LENGTH = 150;
const NAMELESS = "file";
const DEVICE_MARK = "_";

/** Control characters, line separators, marks that change the direction of writing, halves of surrogate pairs. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\p{Surrogate}]/gu;

/** Names that open a device instead of a file on Windows, whatever ending follows. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

function isDevice(stem: string): boolean {
  const [first = ""] = stem.split(".", 1);
  return DEVICES.test(first.trim());
}

function baseOf(name: string): string {
  const start = Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1;
  return trimEnd(name.slice(start).replace(UNSEEN, "").trimStart());
}

/** An ending has a letter in it: `Meeting 12.30` has none. */
function split(base: string): { stem: string; extension: string } {
  const dot = base.lastIndexOf(".");
  const extension = base.slice(dot + 1);
  const isExtension = dot >= 0 && /^[a-z0-9]{1,10}$/i.test(extension) && /[a-z]/i.test(extension);
  return isExtension ? { stem: base.slice(0, dot), extension } : { stem: base, extension: "" };
}

/** Windows drops dots and spaces at the end of a name. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "." || text[end - 1]?.trim() === "")) end -= 1;
  return text.slice(0, end);
}

/** The first whole characters, as readers see them, within so many UTF-16 units. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  // What lies beyond cannot be in the result, but may belong to its last character.
  for (const { index, segment } of graphemes.segment(text.slice(0, 2 * maxLength))) {
    if (index + segment.length > maxLength) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}
