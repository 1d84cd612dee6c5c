import type { Job } from "../engine.js";
import { fileStart } from "../tables/encoding.js";
import { sniffTable } from "../tables/sniff.js";
import { checkOneSheet } from "../tables/text-table.js";
import { DATABASE_FILTER, importFilter, TABLE_FILTER, TEXT_FILTER } from "./filters.js";
import type { WorkerJob } from "./worker-protocol.js";

/** How the office is to read the file: its filter, and what the filter cannot find out by itself. Throws `sheetLimitExceeded`. */
export async function readingOf({
  source,
  signal,
}: Pick<Job, "source" | "signal">): Promise<Pick<WorkerJob, "filter" | "filterOptions" | "isBare">> {
  const filter = importFilter(source.format.extension);
  if (filter === undefined) {
    throw new Error(`the office does not take ${source.format.extension}`);
  }
  if (filter === TABLE_FILTER) {
    const shape = await sniffTable(source.path);
    await checkOneSheet(source.path, shape, signal);
    const { delimiter, hasSeparatorLine } = shape;
    return { filter, filterOptions: tableOptions(delimiter, hasSeparatorLine ? 2 : 1), isBare: true };
  }
  if (filter === TEXT_FILTER) {
    return { filter, filterOptions: "UTF8,LF,,," };
  }
  if (filter === DATABASE_FILTER) {
    return { filter, filterOptions: await databaseEncoding(source.path), isBare: true };
  }
  return { filter, isBare: source.format.extension === "slk" };
}

/**
 * Delimiter, quote, encoding, first line, kinds of columns, language, quoted as text, special numbers. All columns are
 * text: a page shows what is written, `00123` and `1.10` too.
 */
function tableOptions(delimiter: string, firstLine: number): string {
  const columns = Array.from({ length: TEXT_COLUMNS }, (_, index) => `${index + 1}/${TEXT}`).join("/");
  const code = delimiter === "" ? "" : delimiter.charCodeAt(0);
  return `${code},${QUOTE},${UTF8},${firstLine},${columns},,false,false`;
}

/** The office's word for the encoding that the header of a database names. */
async function databaseEncoding(path: string): Promise<string> {
  const header = await fileStart(path, LANGUAGE_AT + 1);
  return DATABASE_ENCODINGS.get(header[LANGUAGE_AT] ?? 0) ?? "ANSI";
}

const LANGUAGE_AT = 29;
const DATABASE_ENCODINGS: ReadonlyMap<number, string> = new Map([
  [0x01, "IBMPC_437"],
  [0x02, "IBMPC_850"],
]);

const TEXT = 2;
const QUOTE = 34;
const UTF8 = 76;
// As many columns as the sheets of LibreOffice 7.4 have; no page shows that many.
const TEXT_COLUMNS = 16_384;
