import type { Kind } from "./cell-kind.js";
import type { Evidence } from "./evidence.js";
import type { MomentKind } from "./moment.js";

/** How the cells of a column are read. One that does not fit is text all the same. */
export interface Column {
  readonly reading: Reading;
  /** Number format of the cells that are not text. */
  readonly format: string;
}

export type Reading =
  | { readonly as: "text" | "boolean" }
  | { readonly as: "number" | "percent"; readonly mark: DecimalMark }
  | { readonly as: "moment"; readonly kind: MomentKind };

export type DecimalMark = "point" | "comma";

export const GENERAL = "General";

/** What says TRUE and FALSE even where truths are numbers. */
const BOOLEAN = '"TRUE";"TRUE";"FALSE"';

/**
 * Decides how each column is read. Dates, times, percents and booleans only where all cells agree. Numbers stand among words, but
 * where one would not survive as a number (a leading zero, too many digits, another decimal mark) all stay text: a column
 * that is half numbers sums up to something wrong. With `isCommaDelimited` no comma is a decimal mark.
 */
export function decideColumns(all: readonly Evidence[], isCommaDelimited: boolean): Column[] {
  const marks = new Set(all.map(({ counts }) => shownMark(counts)).filter((mark) => mark !== undefined));
  const [only] = marks;
  const common = marks.size === 1 ? only : undefined;
  return all.map((evidence) => {
    const mark = isCommaDelimited ? "point" : (shownMark(evidence.counts) ?? common);
    return agreed(evidence, mark ?? "point") ?? numbers(evidence, mark) ?? textual;
  });
}

/** The kinds that are percents where that is the decimal mark. */
export const percentKinds: Record<DecimalMark, ReadonlySet<Kind>> = {
  point: new Set(["integerPercent", "pointPercent"]),
  comma: new Set(["integerPercent", "commaPercent"]),
};

/** The kinds that are numbers where that is the decimal mark. */
export const readableKinds: Record<DecimalMark, ReadonlySet<Kind>> = {
  point: new Set(["integer", "point", "pointOrGroups"]),
  comma: new Set(["integer", "comma", "commaOrGroups", "pointOrGroups"]),
};

const textual: Column = { reading: { as: "text" }, format: GENERAL };

const numeric: readonly Kind[] = ["code", "integer", "point", "pointOrGroups", "comma", "commaOrGroups", "english"];

/** In a column with both, the comma will not do as one. */
function shownMark(counts: Evidence["counts"]): DecimalMark | undefined {
  if (counts.point + counts.pointPercent + counts.english > 0) return "point";
  return counts.comma + counts.commaPercent > 0 ? "comma" : undefined;
}

function agreed({ counts, cells, decimalsMax }: Evidence, mark: DecimalMark): Column | undefined {
  if (cells === 0) return undefined;
  if (counts.boolean === cells) return { reading: { as: "boolean" }, format: BOOLEAN };
  if (sum(counts, percentKinds[mark]) === cells)
    return { reading: { as: "percent", mark }, format: `${withDecimals(decimalsMax)}%` };
  const kind = moments.find(([moment, also]) => counts[moment] + (also ? counts[also] : 0) === cells)?.[0];
  if (kind === undefined) return undefined;
  const fraction = decimalsMax > 0 ? ".000" : "";
  return { reading: { as: "moment", kind }, format: `${momentFormats[kind]}${fraction}` };
}

/** Days among times of days are midnights. */
const moments: readonly (readonly [MomentKind, MomentKind?])[] = [
  ["date"],
  ["dateTime", "date"],
  ["germanDate"],
  ["germanDateTime", "germanDate"],
  ["time"],
];

const momentFormats: Record<MomentKind, string> = {
  date: "yyyy-mm-dd",
  dateTime: "yyyy-mm-dd hh:mm:ss",
  germanDate: "dd.mm.yyyy",
  germanDateTime: "dd.mm.yyyy hh:mm:ss",
  time: "hh:mm:ss",
};

function numbers(evidence: Evidence, mark: DecimalMark | undefined): Column | undefined {
  const { counts } = evidence;
  const total = sum(counts, numeric);
  // Without any sign of what the mark is, `1.234` may be a thousand times as much.
  const isOpen = mark === undefined && counts.pointOrGroups + counts.commaOrGroups > 0;
  const known = mark ?? "point";
  if (total === 0 || isOpen || sum(counts, readableKinds[known]) < total) return undefined;
  return { reading: { as: "number", mark: known }, format: numberFormat(evidence, known) };
}

/** As many decimals as all of them have, so that 12.50 stays 12.50; long whole numbers without an exponent. */
function numberFormat({ counts, decimalsMin, decimalsMax, longest }: Evidence, mark: DecimalMark): string {
  const hasGroups = mark === "comma" && counts.pointOrGroups > 0;
  if (hasGroups || decimalsMin !== decimalsMax) return GENERAL;
  return decimalsMax > 0 || longest > GENERAL_DIGITS ? withDecimals(decimalsMax) : GENERAL;
}

/** Of longer numbers the general format shows the first digits and an exponent. */
const GENERAL_DIGITS = 11;

function withDecimals(decimals: number): string {
  return decimals === 0 ? "0" : `0.${"0".repeat(decimals)}`;
}

function sum(counts: Evidence["counts"], kinds: Iterable<Kind>): number {
  return [...kinds].reduce((total, kind) => total + counts[kind], 0);
}
