import { sheetLimitExceeded } from "../faults.js";
import { sheetLimits } from "./limits.js";
import type { Row } from "./row.js";

interface RecordRules {
  readonly delimiter: string;
  /** Offset, in characters, of a quote that nothing closes: it is text. */
  readonly literalQuoteAt?: number | undefined;
  /** Whether a text or a row longer than a sheet can hold is a fault. */
  readonly isLimited?: boolean;
}

interface RecordReader {
  /** The records that this piece of text ends. */
  read(text: string): Row[];
  /** What the end of the text ends, and the offset of a quote that was opened and never closed. */
  end(): { rows: Row[]; unclosedQuoteAt: number | undefined };
}

/**
 * Records as RFC 4180 has them, read leniently: lines end with CR, LF or both; records differ in length; a quote counts
 * only as the first character of a field; what follows a closing quote belongs to the field. Line ends inside quotes become LF.
 */
export function recordReader(rules: RecordRules): RecordReader {
  const state = newState(rules);
  return {
    read(text) {
      let at = 0;
      while (at < text.length) {
        at = steps[state.step](state, text, at);
      }
      state.offset += text.length;
      return taken(state);
    },
    end() {
      if (state.step === "quoted") return { rows: taken(state), unclosedQuoteAt: state.quoteAt };
      if (state.step !== "start" || state.row.length > 0) endRecord(state, "");
      return { rows: taken(state), unclosedQuoteAt: undefined };
    },
  };
}

type Step = "start" | "plain" | "quoted" | "quote";

interface State {
  readonly delimiter: number;
  readonly literalQuoteAt: number;
  readonly columnsMax: number;
  readonly charactersMax: number;
  step: Step;
  /** Characters before the text that is being read. */
  offset: number;
  quoteAt: number;
  /** What is known of a field that began earlier. */
  field: string;
  isTooLong: boolean;
  isAfterCr: boolean;
  row: string[];
  rows: Row[];
}

const QUOTE = 34;
const CR = 13;
const LF = 10;

function newState({ delimiter, literalQuoteAt = -1, isLimited = true }: RecordRules): State {
  return {
    delimiter: delimiter === "" ? -1 : delimiter.charCodeAt(0),
    literalQuoteAt,
    columnsMax: isLimited ? sheetLimits.columns : Number.POSITIVE_INFINITY,
    charactersMax: isLimited ? sheetLimits.cellCharacters : Number.POSITIVE_INFINITY,
    step: "start",
    offset: 0,
    quoteAt: -1,
    field: "",
    isTooLong: false,
    isAfterCr: false,
    row: [],
    rows: [],
  };
}

/** Each reads on from a place in the text and answers how far it came. */
const steps: Record<Step, (state: State, text: string, at: number) => number> = {
  start(state, text, at) {
    const code = text.charCodeAt(at);
    const isSecondOfCrLf = state.isAfterCr && code === LF;
    state.isAfterCr = false;
    if (isSecondOfCrLf) return at + 1;
    const isQuote = code === QUOTE && state.offset + at !== state.literalQuoteAt;
    state.step = isQuote ? "quoted" : "plain";
    if (!isQuote) return at;
    state.quoteAt = state.offset + at;
    return at + 1;
  },

  plain(state, text, at) {
    const { delimiter } = state;
    for (let end = at; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === delimiter) {
        endField(state, text.slice(at, end));
        return end + 1;
      }
      if (code === LF || code === CR) {
        endRecord(state, text.slice(at, end));
        state.isAfterCr = code === CR;
        return end + 1;
      }
    }
    extend(state, text.slice(at));
    return text.length;
  },

  quoted(state, text, at) {
    const found = text.indexOf('"', at);
    const end = found === -1 ? text.length : found;
    extend(state, text.slice(at, end));
    if (found !== -1) state.step = "quote";
    return found === -1 ? end : end + 1;
  },

  quote(state, text, at) {
    const isDoubled = text.charCodeAt(at) === QUOTE;
    state.step = isDoubled ? "quoted" : "plain";
    if (isDoubled) extend(state, '"');
    return isDoubled ? at + 1 : at;
  },
};

/** A field too long is a fault only once it ends: the quote that opened it may turn out to be text. */
function extend(state: State, text: string): void {
  // Half of the characters may be CRs that go.
  state.isTooLong ||= state.field.length + text.length > 2 * state.charactersMax;
  if (!state.isTooLong) state.field += text;
}

function endField(state: State, last: string): void {
  let field = last;
  if (state.field !== "" || state.isTooLong) {
    extend(state, last);
    field = state.field.includes("\r") ? state.field.replace(/\r\n?/g, "\n") : state.field;
    state.field = "";
  }
  if (state.isTooLong || field.length > state.charactersMax) throw sheetLimitExceeded();
  if (state.row.push(field) > state.columnsMax) throw sheetLimitExceeded();
  state.step = "start";
}

function endRecord(state: State, last: string): void {
  endField(state, last);
  state.rows.push({ texts: state.row });
  state.row = [];
}

function taken(state: State): Row[] {
  const { rows } = state;
  state.rows = [];
  return rows;
}
