import { sheetLimitExceeded } from "../faults.js";
import { sheetLimits } from "./limits.js";
import type { Row } from "./row.js";
import type { Merge } from "./sheet.js";

interface Span {
  readonly columns: number;
  /** 0: to the end of the group of rows. */
  readonly rows: number;
}

/** Gives the cells of a table their places, as browsers do, except that none overlaps another. */
export interface Grid {
  startRow(): void;
  /** Takes the next free place of the row. */
  place(span: Span, isHeader: boolean): void;
  /** The text of the cell placed last. */
  fill(text: string): void;
  /** The row, if one was begun. */
  endRow(): Row | undefined;
  /** Cells that span rows end with their group. */
  endGroup(): void;
  readonly merges: readonly Merge[];
}

/** `mayMerge` is asked before each merge: a table keeps its places without. */
export function htmlGrid(mayMerge: () => boolean): Grid {
  /** For each column the first row that no cell from above reaches. */
  let freeFrom: number[] = [];
  let group: Merge[] = [];
  const merges: Merge[] = [];
  let row: OpenRow | undefined;
  let index = -1;
  return {
    merges,
    startRow() {
      index += 1;
      row = { texts: [], columns: [], headers: [], column: -1, isHeader: false };
    },
    place(span, isHeader) {
      if (row === undefined) return;
      const left = nextFree(freeFrom, row.column + 1, index);
      const right = lastFree(freeFrom, left, span.columns, index);
      const bottom = span.rows === 0 ? Number.POSITIVE_INFINITY : index + span.rows - 1;
      for (let column = left; column <= right; column++) freeFrom[column] = bottom + 1;
      row.column = left;
      row.isHeader = isHeader;
      if ((right > left || bottom > index) && mayMerge()) group.push({ top: index, left, bottom, right });
    },
    fill(text) {
      if (row === undefined || text === "") return;
      row.texts.push(text);
      row.columns.push(row.column);
      row.headers.push(row.isHeader);
    },
    endRow() {
      const ended = row;
      row = undefined;
      return ended && { texts: ended.texts, columns: ended.columns, headers: ended.headers };
    },
    endGroup() {
      const ended = group.map((merge) => ({ ...merge, bottom: Math.min(merge.bottom, index) }));
      merges.push(...ended.filter(({ top, left, bottom, right }) => bottom > top || right > left));
      group = [];
      freeFrom = [];
    },
  };
}

interface OpenRow {
  readonly texts: string[];
  readonly columns: number[];
  readonly headers: boolean[];
  /** Of the cell placed last. */
  column: number;
  isHeader: boolean;
}

function nextFree(freeFrom: readonly number[], from: number, row: number): number {
  let column = from;
  while ((freeFrom[column] ?? 0) > row) column += 1;
  if (column >= sheetLimits.columns) throw sheetLimitExceeded();
  return column;
}

/** The last column of a cell: its span ends early where a cell from above is in the way. */
function lastFree(freeFrom: readonly number[], left: number, span: number, row: number): number {
  const most = Math.min(left + span, sheetLimits.columns);
  let column = left + 1;
  while (column < most && (freeFrom[column] ?? 0) <= row) column += 1;
  return column - 1;
}
