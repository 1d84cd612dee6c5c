import { recordReader } from "./records.js";

interface Sample {
  readonly extension: string;
  /** Whether the sample is all there is; else its last line is cut. */
  readonly isWhole: boolean;
}

/** The delimiter that a first line `sep=;` names. */
export function separatorLine(text: string): string | undefined {
  return /^"?sep=([^\w"\r\n])"?(?=[\r\n]|$)/i.exec(text)?.[1];
}

/** The candidate that most consistently gives rows of one length, outside quotes; empty if nothing parts columns. */
export function findDelimiter(text: string, about: Sample): string {
  const sample = text.replace(QUOTED_FIELD, "$1x");
  const scored = candidates
    .map((delimiter) => ({ delimiter, ...consistency(sample, delimiter, about) }))
    .filter(({ delimiter, columns }) => columns > 1 && !(about.extension === "txt" && isProse(sample, delimiter)));
  const others = scored.filter(({ delimiter }) => delimiter !== ",");
  // In `1,5;2,5` the commas are as regular as the semicolons, and there are more of them.
  const isDecimal = others.some(({ share }) => share >= STEADY_SHARE) && marksDecimals(sample);
  const [first, ...rest] = isDecimal ? others : scored;
  if (first === undefined) return fallbacks[about.extension] ?? "";
  const best = rest.reduce((one, other) => (other.score > one.score ? other : one), first);
  return about.extension === "txt" && best.share < STEADY_SHARE ? "" : best.delimiter;
}

const QUOTED_FIELD = /(^|[,;\t|\r\n])"(?:[^"]|"")*"/g;

/** Where scores are equal the earlier one is taken: the rarer it is in text, the more it says. */
const candidates = ["\t", ";", "|", ","] as const;

const fallbacks: Record<string, string> = { csv: ",", tsv: "\t" };

const STEADY_SHARE = 0.9;

interface Consistency {
  /** The length that most rows have. */
  readonly columns: number;
  /** How many of the rows have it, from 0 to 1. */
  readonly share: number;
  readonly score: number;
}

function consistency(sample: string, delimiter: string, { isWhole }: Sample): Consistency {
  const lengths = new Map<number, number>();
  for (const length of recordLengths(sample, delimiter, isWhole)) {
    lengths.set(length, (lengths.get(length) ?? 0) + 1);
  }
  const total = [...lengths.values()].reduce((sum, count) => sum + count, 0);
  const parted = [...lengths].filter(([length]) => length > 1);
  if (parted.length === 0) return { columns: 1, share: 0, score: 0 };
  const [columns, count] = parted.reduce((one, other) => (other[1] > one[1] ? other : one));
  const share = count / total;
  return { columns, share, score: share * (1 - 1 / columns) };
}

function recordLengths(sample: string, delimiter: string, isWhole: boolean): number[] {
  const reader = recordReader({ delimiter, isLimited: false });
  const rows = reader.read(sample);
  const last = reader.end();
  // A cut last row says nothing, unless it is all there is; neither does one that an unclosed quote swallowed.
  const isUsable = rows.length === 0 || (isWhole && last.unclosedQuoteAt === undefined);
  if (isUsable) rows.push(...last.rows);
  return rows.filter(({ texts }) => texts.length > 1 || texts[0] !== "").map(({ texts }) => texts.length);
}

/** In prose a comma or semicolon is followed by a space; a tab or a bar stands in no prose. */
function isProse(sample: string, delimiter: string): boolean {
  if (delimiter !== "," && delimiter !== ";") return false;
  const all = sample.split(delimiter).length - 1;
  const spaced = sample.split(`${delimiter} `).length - 1;
  return spaced > all / 2;
}

function marksDecimals(sample: string): boolean {
  const all = sample.split(",").length - 1;
  const betweenDigits = sample.match(/\d,(?=\d)/g)?.length ?? 0;
  return betweenDigits >= all * STEADY_SHARE;
}
