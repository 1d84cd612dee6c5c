import { type Kind, kindOf } from "./cell-kind.js";

/** What has been seen in the cells of a column. */
export interface Evidence {
  readonly counts: Record<Kind, number>;
  /** Cells with more than spaces. */
  cells: number;
  /** Fewest and most digits after the decimal mark, where it surely is one. */
  decimalsMin: number;
  decimalsMax: number;
  /** Characters of the longest that is not text. */
  longest: number;
}

export function noEvidence(): Evidence {
  return { counts: { ...noCounts }, cells: 0, decimalsMin: Number.POSITIVE_INFINITY, decimalsMax: 0, longest: 0 };
}

/** Counts a cell; one of nothing but spaces says nothing. */
export function observe(evidence: Evidence, text: string): void {
  const content = trimmed(text);
  if (content === "") return;
  const kind = kindOf(content);
  evidence.cells += 1;
  evidence.counts[kind] += 1;
  if (kind === "text") return;
  if (content.length > evidence.longest) evidence.longest = content.length;
  const decimals = decimalsOf(content, kind);
  if (decimals < evidence.decimalsMin) evidence.decimalsMin = decimals;
  if (decimals > evidence.decimalsMax) evidence.decimalsMax = decimals;
}

/** Without the spaces around it, which numbers and dates may have. */
export function trimmed(text: string): string {
  const isPadded = text.charCodeAt(0) === SPACE || text.charCodeAt(text.length - 1) === SPACE;
  return isPadded ? text.replace(/^ +/, "").replace(/(?<! ) +$/, "") : text;
}

const SPACE = 32;

const noCounts: Record<Kind, number> = {
  text: 0,
  boolean: 0,
  code: 0,
  integer: 0,
  point: 0,
  pointOrGroups: 0,
  comma: 0,
  commaOrGroups: 0,
  english: 0,
  integerPercent: 0,
  pointPercent: 0,
  commaPercent: 0,
  date: 0,
  dateTime: 0,
  germanDate: 0,
  germanDateTime: 0,
  time: 0,
};

function decimalsOf(text: string, kind: Kind): number {
  switch (kind) {
    case "point":
    case "pointOrGroups":
      return text.length - 1 - text.lastIndexOf(".");
    case "comma":
    case "commaOrGroups":
      return text.includes(",") ? text.length - 1 - text.lastIndexOf(",") : 0;
    case "pointPercent":
    case "commaPercent":
      return /[.,](\d+)/.exec(text)?.[1]?.length ?? 0;
    case "dateTime":
    case "germanDateTime":
    case "time":
      return /:\d\d\.(\d+)$/.exec(text)?.[1]?.length ?? 0;
    default:
      return 0;
  }
}
