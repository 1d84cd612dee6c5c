import { sheetLimitExceeded } from "../faults.js";
import { type CellText, cellText } from "./cell-text.js";
import { htmlGrid } from "./html-grid.js";
import type { RowSpool } from "./row-spool.js";
import type { Merge } from "./sheet.js";
import { type Profile, tableProfile } from "./table-profile.js";

/** A table of a page that has been read; its rows are in the spool, under its number. */
export interface PageTable {
  readonly number: number;
  /** What the page calls it; empty if nothing. */
  readonly name: string;
  readonly profile: Profile;
  readonly merges: readonly Merge[];
}

/** A table whose end has not come. Rows, cells and the caption end where the next begins, as pages often leave ends out. */
export interface OpenTable {
  startRow(): void;
  startCell(attributes: Readonly<Record<string, string>>, isHeader: boolean): void;
  startCaption(): void;
  endCell(): void;
  endRow(): void;
  endGroup(): void;
  /** Where text belongs now; none between cells. */
  text(): CellText | undefined;
  /** Undefined if it has no text of its own, as tables that only lay out others. */
  end(): PageTable | undefined;
}

interface OpenTableOptions {
  readonly number: number;
  readonly label: string;
  readonly spool: RowSpool;
  readonly mayMerge: () => boolean;
}

export function openTable({ number, label, spool, mayMerge }: OpenTableOptions): OpenTable {
  const grid = htmlGrid(mayMerge);
  const profile = tableProfile();
  let name = label;
  let cell: CellText | undefined;
  let caption: CellText | undefined;
  let isInRow = false;

  const table: OpenTable = {
    startRow() {
      table.endRow();
      grid.startRow();
      isInRow = true;
    },
    startCell({ colspan, rowspan }, isHeader) {
      table.endCell();
      if (!isInRow) table.startRow();
      const span = { columns: bounded(colspan, 1, COLUMN_SPAN_MAX), rows: bounded(rowspan, 0, ROW_SPAN_MAX) };
      grid.place(span, isHeader);
      cell = cellText();
    },
    startCaption() {
      caption = cellText();
    },
    endCell() {
      // A caption too long is no reason to refuse the table.
      if (caption !== undefined) name = caption.end() || name;
      caption = undefined;
      if (cell !== undefined) grid.fill(whole(cell.end()));
      cell = undefined;
    },
    endRow() {
      table.endCell();
      isInRow = false;
      const row = grid.endRow();
      if (row === undefined) return;
      profile.add([row]);
      spool.append(number, row);
    },
    endGroup() {
      table.endRow();
      grid.endGroup();
    },
    text: () => cell ?? caption,
    end() {
      table.endGroup();
      const known = profile.end(false);
      return known.rowCount === 0 ? undefined : { number, name, profile: known, merges: grid.merges };
    },
  };
  return table;
}

/** What HTML allows; browsers take no more either. */
const COLUMN_SPAN_MAX = 1000;
const ROW_SPAN_MAX = 65_534;

function bounded(value: string | undefined, least: number, most: number): number {
  const number = /^\s*\d+/.test(value ?? "") ? Number.parseInt(value ?? "", 10) : 1;
  return number < least ? 1 : Math.min(number, most);
}

function whole(text: string | undefined): string {
  if (text === undefined) throw sheetLimitExceeded();
  return text;
}
