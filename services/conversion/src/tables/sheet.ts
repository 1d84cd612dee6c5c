import type { Row } from "./row.js";
import type { Profile } from "./table-profile.js";

/** A rectangle of cells that look like one; rows and columns from 0, the last ones included. */
export interface Merge {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** A table to be written. */
export interface Table {
  /** Wished for; sheets get what is allowed and not taken. */
  readonly name: string;
  readonly profile: Profile;
  readonly merges: readonly Merge[];
  rows(): AsyncGenerator<readonly Row[]>;
}

/** The tables of a file. */
export interface Tables {
  readonly tables: readonly Table[];
  /** To be called when their rows are no longer needed. */
  close(): Promise<void>;
}

/** A part of a table that one sheet holds. */
export interface Sheet {
  readonly name: string;
  readonly table: Table;
  /** Row of the table that is the first of the sheet. */
  readonly firstRow: number;
  readonly rowCount: number;
  /** Rows of the sheet, each with its place in it. All sheets of a table read on from one another, in order. */
  rows(): AsyncGenerator<readonly Row[]>;
}
