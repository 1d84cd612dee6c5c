import { corrupt } from "../faults.js";
import { XML_DEPTH_MAX } from "./limits.js";
import { isHarmless, isKnownEncoding, type XmlDialect } from "./xml-declarations.js";
import { markupOf } from "./xml-units.js";

/** Looks at an XML document as it passes, in one pass and constant memory. Both functions throw `corrupt`. */
export interface XmlScanner {
  take(piece: Buffer): void;
  /** To be called after the last piece: whatever was opened must be closed. */
  end(): void;
}

/**
 * Refuses what no honest program writes and what makes parsers suffer: document types with entities of their own,
 * thousands of elements within each other, encodings that hide markup, documents cut short. Whether each name fits
 * the one that it closes, is left to the parser. `onTag` is told each opening tag, less its brackets.
 */
export function xmlScanner(dialect: XmlDialect, onTag?: (tag: string) => void): XmlScanner {
  const markup = markupOf();
  const state: State = { within: "text", depth: 0, roots: 0, quote: 0, previous: 0, marks: 0, brackets: 0, kept: "" };

  return {
    take(bytes) {
      const piece = markup(bytes);
      let at = 0;
      while (at < piece.length) at = step(piece, at, state, dialect, onTag);
    },
    end() {
      if (state.within !== "text" || state.depth !== 0 || state.roots !== 1) throw corrupt();
    },
  };
}

type Within =
  | "text"
  | "opened"
  | "tag"
  | "closing"
  | "declaration"
  | "comment"
  | "characters"
  | "instruction"
  | "doctype";

interface State {
  within: Within;
  depth: number;
  roots: number;
  /** The quotation mark that ends the value in which we are; 0 outside. */
  quote: number;
  /** The byte before, within a tag. */
  previous: number;
  /** How many marks of those that end a comment or CDATA section came just before. */
  marks: number;
  brackets: number;
  /** The beginning of a declaration, instruction, document type or, where somebody wants it, tag. */
  kept: string;
}

/** Goes on from `at`, and says where the next step begins. The order of the cases is that of their frequency. */
function step(
  piece: Buffer,
  at: number,
  state: State,
  dialect: XmlDialect,
  onTag: ((tag: string) => void) | undefined,
): number {
  switch (state.within) {
    case "text":
      return text(piece, at, state);
    case "opened":
      return opened(piece, at, state);
    case "tag":
      return onTag === undefined ? tag(piece, at, state) : keptTag(piece, at, state, onTag);
    case "closing":
      return closing(piece, at, state);
    case "declaration":
      return declaration(piece, at, state);
    case "comment":
      return until(piece, at, state, MINUS, 2);
    case "characters":
      return until(piece, at, state, BRACKET_CLOSE, 2);
    case "instruction":
      return instruction(piece, at, state);
    case "doctype":
      return doctype(piece, at, state, dialect);
  }
}

const LESS = 0x3c;
const MORE = 0x3e;
const SLASH = 0x2f;
const MINUS = 0x2d;
const BANG = 0x21;
const QUESTION = 0x3f;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;

/** Honest document types and tags are shorter by far. */
const KEPT_MAX_LENGTH = 16_384;

// Pieces of text and tags are so short that asking the system's search for each would take longer than looking.
function text(piece: Buffer, start: number, state: State): number {
  let at = start;
  while (at < piece.length && piece[at] !== LESS) {
    if (state.depth === 0 && !isSpace(piece[at] ?? 0)) throw corrupt();
    at += 1;
  }
  if (at < piece.length) state.within = "opened";
  return at + 1;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function opened(piece: Buffer, at: number, state: State): number {
  const byte = piece[at];
  state.kept = "";
  if (byte === SLASH) return enter(state, "closing", at + 1);
  if (byte === BANG) return enter(state, "declaration", at + 1);
  if (byte === QUESTION) return enter(state, "instruction", at + 1);
  if (state.depth === 0) state.roots += 1;
  state.depth += 1;
  if (state.depth > XML_DEPTH_MAX || state.roots > 1) throw corrupt();
  return enter(state, "tag", at);
}

function enter(state: State, within: Within, at: number): number {
  state.within = within;
  state.quote = 0;
  state.previous = 0;
  state.marks = 0;
  return at;
}

function tag(piece: Buffer, start: number, state: State): number {
  let { quote, previous } = state;
  for (let at = start; at < piece.length; at += 1) {
    const byte = piece[at] ?? 0;
    if (quote !== 0) {
      if (byte === quote) quote = 0;
    } else if (byte === MORE) {
      if (previous === SLASH) state.depth -= 1;
      return enter(state, "text", at + 1);
    } else if (byte === LESS) {
      throw corrupt();
    } else if (byte === QUOTE || byte === APOSTROPHE) {
      quote = byte;
    }
    previous = byte;
  }
  state.quote = quote;
  state.previous = previous;
  return piece.length;
}

function keptTag(piece: Buffer, at: number, state: State, onTag: (tag: string) => void): number {
  const next = tag(piece, at, state);
  if (state.kept.length < KEPT_MAX_LENGTH) state.kept += piece.toString("latin1", at, next);
  if (state.within === "text") onTag(state.kept.slice(0, -1));
  return next;
}

function closing(piece: Buffer, start: number, state: State): number {
  let at = start;
  while (at < piece.length && piece[at] !== MORE) at += 1;
  if (at === piece.length) return at;
  state.depth -= 1;
  if (state.depth < 0) throw corrupt();
  return enter(state, "text", at + 1);
}

const DECLARATIONS: readonly (readonly [string, Within])[] = [
  ["--", "comment"],
  ["[CDATA[", "characters"],
  ["DOCTYPE", "doctype"],
];

function declaration(piece: Buffer, at: number, state: State): number {
  state.kept += String.fromCharCode(piece[at] ?? 0);
  const [word, within] = DECLARATIONS.find(([start]) => start.startsWith(state.kept)) ?? [];
  if (word === undefined || within === undefined) throw corrupt();
  if (state.kept !== word) return at + 1;
  // Text in CDATA belongs into an element, a document type before all of them.
  if (within === "characters" ? state.depth === 0 : within === "doctype" && state.roots > 0) throw corrupt();
  state.kept = "";
  return enter(state, within, at + 1);
}

/** Up to a `>` that follows so many of the mark. */
function until(piece: Buffer, start: number, state: State, mark: number, count: number): number {
  for (let at = start; at < piece.length; at += 1) {
    const byte = piece[at];
    if (byte === MORE && state.marks >= count) return enter(state, "text", at + 1);
    state.marks = byte === mark ? state.marks + 1 : 0;
  }
  return piece.length;
}

function instruction(piece: Buffer, at: number, state: State): number {
  const next = until(piece, at, state, QUESTION, 1);
  if (state.kept.length < KEPT_MAX_LENGTH) state.kept += piece.toString("latin1", at, next);
  if (state.within === "text" && !isKnownEncoding(state.kept)) throw corrupt();
  return next;
}

function doctype(piece: Buffer, start: number, state: State, dialect: XmlDialect): number {
  let at = start;
  while (at < piece.length && state.within === "doctype") {
    const byte = piece[at] ?? 0;
    if (state.quote !== 0) state.quote = byte === state.quote ? 0 : state.quote;
    else if (byte === QUOTE || byte === APOSTROPHE) state.quote = byte;
    else if (byte === BRACKET_OPEN) state.brackets += 1;
    else if (byte === BRACKET_CLOSE) state.brackets -= 1;
    else if (byte === MORE && state.brackets === 0) enter(state, "text", at);
    at += 1;
  }
  state.kept += piece.toString("latin1", start, at);
  if (state.kept.length > KEPT_MAX_LENGTH) throw corrupt();
  if (state.within === "text" && !isHarmless(state.kept.slice(0, -1), dialect)) throw corrupt();
  return at;
}
