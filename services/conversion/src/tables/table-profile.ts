import { sheetLimitExceeded } from "../faults.js";
import { type Column, decideColumns } from "./column.js";
import { type Evidence, noEvidence, observe } from "./evidence.js";
import { sheetLimits } from "./limits.js";
import type { Row } from "./row.js";

/** What is known of a table once it has been read. */
export interface Profile {
  /** With holes where no cell has text. */
  readonly columns: readonly ProfiledColumn[];
  /** Up to the last row that has text. */
  readonly rowCount: number;
}

export interface ProfiledColumn extends Column {
  /** Characters of the longest line. */
  readonly longest: number;
}

interface ProfileInProgress {
  add(rows: readonly Row[]): void;
  end(isCommaDelimited: boolean): Profile;
}

/** Watches the rows of a table. The first row with text, and cells that are headers, say nothing about a column that has others. */
export function tableProfile(): ProfileInProgress {
  const columns: Seen[] = [];
  let rowCount = 0;
  let textRows = 0;
  return {
    add(rows) {
      for (const row of rows) {
        rowCount += 1;
        if (observeRow(columns, row, textRows === 0)) textRows = rowCount;
      }
    },
    end(isCommaDelimited) {
      const evidence = columns.map(({ head, body }) => (body.cells > 0 ? body : head));
      const decided = decideColumns(evidence, isCommaDelimited);
      return {
        columns: decided.map((column, index) => ({ ...column, longest: columns[index]?.longest ?? 0 })),
        rowCount: textRows,
      };
    },
  };
}

interface Seen {
  readonly head: Evidence;
  readonly body: Evidence;
  longest: number;
}

/** Whether there is any text in the row. */
function observeRow(columns: Seen[], { texts, columns: places, headers }: Row, isFirst: boolean): boolean {
  let hasText = false;
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] ?? "";
    if (text === "") continue;
    hasText = true;
    const seen = seenAt(columns, places?.[index] ?? index);
    observe(isFirst || headers?.[index] ? seen.head : seen.body, text);
    if (text.length > seen.longest) seen.longest = Math.max(seen.longest, longestLine(text));
  }
  return hasText;
}

function seenAt(columns: Seen[], index: number): Seen {
  if (index >= sheetLimits.columns) throw sheetLimitExceeded();
  const known = columns[index];
  if (known !== undefined) return known;
  const fresh = { head: noEvidence(), body: noEvidence(), longest: 0 };
  columns[index] = fresh;
  return fresh;
}

function longestLine(text: string): number {
  return text.includes("\n") ? Math.max(...text.split("\n").map(({ length }) => length)) : text.length;
}
