import type { Row } from "./row.js";
import type { Sheet, Table } from "./sheet.js";
import { sheetNames } from "./sheet-names.js";

interface Sheets {
  /** To be read in this order, each once. */
  readonly sheets: readonly Sheet[];
  /** Lets go of what is being read. */
  close(): Promise<void>;
}

/** The sheets of tables: one each, and further ones, `Name (2)`, for the rows that one cannot hold. */
export function sheetsOf(tables: readonly Table[], rowsMax: number): Sheets {
  const nameOf = sheetNames();
  const open = tables.map((table) => ({ table, rows: rowsInParts(table) }));
  const sheets = open.flatMap(({ table, rows }) => {
    const count = Math.max(1, Math.ceil(table.profile.rowCount / rowsMax));
    return Array.from({ length: count }, (_, index) => {
      const firstRow = index * rowsMax;
      const rowCount = Math.min(rowsMax, table.profile.rowCount - firstRow);
      return { name: nameOf(table.name), table, firstRow, rowCount, rows: () => rows.take(rowCount) };
    });
  });
  return {
    sheets,
    async close() {
      await Promise.all(open.map(({ rows }) => rows.close()));
    },
  };
}

interface RowsInParts {
  /** The next rows, at most so many. */
  take(count: number): AsyncGenerator<readonly Row[]>;
  close(): Promise<void>;
}

function rowsInParts(table: Table): RowsInParts {
  let batches: AsyncGenerator<readonly Row[]> | undefined;
  let pending: readonly Row[] = [];
  return {
    async *take(count) {
      batches ??= table.rows();
      let left = count;
      while (left > 0) {
        const batch = pending.length > 0 ? { value: pending, done: false } : await batches.next();
        if (batch.done) return;
        const taken: readonly Row[] = batch.value.slice(0, left);
        pending = batch.value.slice(left);
        left -= taken.length;
        yield taken;
      }
    },
    async close() {
      await batches?.return(undefined);
    },
  };
}
