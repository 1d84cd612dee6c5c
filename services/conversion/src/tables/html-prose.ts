import { sheetLimitExceeded } from "../faults.js";
import { type CellText, cellText } from "./cell-text.js";
import type { PageTable } from "./html-table.js";
import type { RowSpool } from "./row-spool.js";
import { tableProfile } from "./table-profile.js";

/** What a page says outside of tables: a row for each line, in one column. */
export interface Prose {
  text(): CellText;
  endLine(): void;
  /** Throws a Fault if a line is longer than a cell can hold. */
  end(): PageTable;
}

export function prose(number: number, spool: RowSpool): Prose {
  const profile = tableProfile();
  let line = cellText();
  let isTooLong = false;
  const endLine = () => {
    const text = line.end();
    line = cellText();
    isTooLong ||= text === undefined;
    for (const part of text?.split("\n") ?? []) {
      if (part === "") continue;
      const row = { texts: [part] };
      profile.add([row]);
      spool.append(number, row);
    }
  };
  return {
    text: () => line,
    endLine,
    end() {
      endLine();
      if (isTooLong) throw sheetLimitExceeded();
      return { number, name: "", profile: profile.end(false), merges: [] };
    },
  };
}
