import { refuse } from "./refusal.js";

/**
 * Looks through XML as text before any parser sees it, and lets a small part of XML pass in which parsers agree: tags,
 * attributes and text. Linear in the length of the text.
 */
export function scan(text: string): void {
  checkCharacters(text);
  const declaration = DECLARATION.exec(text)?.[0] ?? "";
  const open: OpenTag[] = [];
  let tags = 0;
  let at = declaration.length;
  for (;;) {
    const next = text.indexOf("<", at);
    if (open.length === 0 && !BLANK.test(text.slice(at, next === -1 ? undefined : next))) {
      refuse("not_well_formed");
    }
    if (next === -1) {
      break;
    }
    const tag = tagAt(text, next);
    if (!tag.closes && open.length === 0 && tags > 0) {
      refuse("not_well_formed");
    }
    tags += tag.closes ? 0 : 1;
    follow(tag, open);
    if (tags > TAGS_MAX || open.length > DEPTH_MAX) {
      refuse("too_complex");
    }
    at = next + tag.length;
  }
  if (tags === 0 || open.length > 0) {
    refuse("not_well_formed");
  }
}

/** The text without comments; only where nothing is signed, as a comment splits text and signatures do not cover it. */
export function withoutComments(text: string): string {
  // By hand: a pattern would look for the end again from each beginning that has none.
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf("<!--", at);
    const end = start === -1 ? -1 : text.indexOf("-->", start + 4);
    if (end === -1) {
      return [...kept, text.slice(at)].join("");
    }
    kept.push(text.slice(at, start));
    at = end + 3;
  }
}

interface Tag {
  name: string;
  closes: boolean;
  isEmpty: boolean;
  length: number;
}

interface OpenTag {
  name: string;
  children: number;
}

const DEPTH_MAX = 40;
const TAGS_MAX = 12_000;
// Libraries compare siblings with each other, so many under one parent cost far more than many elsewhere.
const CHILDREN_MAX = 2_500;
const ATTRIBUTES_MAX = 64;

const DECLARATION =
  /^<\?xml version=(?:"1\.0"|'1\.0')(?: encoding=(?:"UTF-8"|'UTF-8'))?(?: standalone=["'](?:yes|no)["'])?[ \t\r\n]*\?>/i;
const NAME = "[A-Za-z_][\\w.\\-]*(?::[A-Za-z_][\\w.\\-]*)?";
// Not `\s`: to XML, a blank is one of these four.
const S = "[ \\t\\r\\n]";
const ATTRIBUTE = `${S}+${NAME}${S}*=${S}*(?:"[^"<]*"|'[^'<]*')`;
const TAG = new RegExp(`<(/?)(${NAME})((?:${ATTRIBUTE})*)${S}*(/?)>`, "y");
const ATTRIBUTE_NAMES = new RegExp(`${S}+(${NAME})${S}*=${S}*(?:"[^"]*"|'[^']*')`, "g");
const BLANK = /^[ \t\r\n]*$/;
const CONTROL = /[^\t\n\r\P{Cc}]|\uFFFE|\uFFFF|\uFEFF/u;
const REFERENCE = /&(?:(?:amp|lt|gt|quot|apos);|#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));)?/g;

function checkCharacters(text: string): void {
  if (CONTROL.test(text)) {
    refuse("characters");
  }
  if (text.includes("]]>")) {
    refuse("markup_forbidden");
  }
  for (const [reference, hex, decimal] of text.matchAll(REFERENCE)) {
    if (reference === "&") {
      // An entity of its own, or none at all.
      refuse("markup_forbidden");
    }
    const code = hex === undefined ? Number(decimal ?? "32") : Number.parseInt(hex, 16);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) || CONTROL.test(String.fromCodePoint(code))) {
      refuse("characters");
    }
  }
}

function tagAt(text: string, at: number): Tag {
  const kind = text.charAt(at + 1);
  if (kind === "!" || kind === "?") {
    refuse("markup_forbidden");
  }
  TAG.lastIndex = at;
  const [whole, slash, name, attributes, empty] = TAG.exec(text) ?? [];
  if (whole === undefined || name === undefined || attributes === undefined) {
    return refuse("not_well_formed");
  }
  const closes = slash === "/";
  if (closes && (attributes !== "" || empty === "/")) {
    refuse("not_well_formed");
  }
  checkAttributes(attributes);
  return { name, closes, isEmpty: empty === "/", length: whole.length };
}

function checkAttributes(attributes: string): void {
  const names = Array.from(attributes.matchAll(ATTRIBUTE_NAMES), ([, name]) => name);
  if (names.length > ATTRIBUTES_MAX) {
    refuse("too_complex");
  }
  if (new Set(names).size !== names.length) {
    refuse("not_well_formed");
  }
}

function follow({ name, closes, isEmpty }: Tag, open: OpenTag[]): void {
  if (closes) {
    if (open.pop()?.name !== name) {
      refuse("not_well_formed");
    }
    return;
  }
  const parent = open.at(-1);
  if (parent !== undefined) {
    parent.children += 1;
    if (parent.children > CHILDREN_MAX) {
      refuse("too_complex");
    }
  }
  if (!isEmpty) {
    open.push({ name, children: 0 });
  }
}
