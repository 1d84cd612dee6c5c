import { sheetLimitExceeded } from "../faults.js";
import { sheetLimits } from "./limits.js";
import { recordReader } from "./records.js";
import type { Row } from "./row.js";
import type { Table } from "./sheet.js";
import { sniffTable, type TableShape } from "./sniff.js";
import { type Profile, tableProfile } from "./table-profile.js";
import { textChunks } from "./text-chunks.js";

/** Reads a csv, tsv or txt through once to learn what its columns are; its rows are read again when they are asked for. */
export async function textTable(path: string, signal: AbortSignal): Promise<Table> {
  const shape = await sniffTable(path);
  const first = await profiled({ path, shape, signal });
  // RFC 4180 knows no quote without an end. It is taken for text: else it would swallow the rest of the table.
  const again = first.unclosedQuoteAt;
  const { profile } = again === undefined ? first : await profiled({ path, shape, signal, literalQuoteAt: again });
  const rows = () => records({ path, shape, signal, literalQuoteAt: again });
  return { name: "Sheet1", profile, merges: [], rows };
}

/** Throws where one sheet cannot hold the whole table: an office would leave out the rest and say nothing. */
export async function checkOneSheet(path: string, shape: TableShape, signal: AbortSignal): Promise<void> {
  let rowCount = 0;
  for await (const rows of records({ path, shape, signal })) {
    rowCount += rows.length;
    if (rowCount > sheetLimits.rows) throw sheetLimitExceeded();
  }
}

interface Reading {
  readonly path: string;
  readonly shape: TableShape;
  readonly signal: AbortSignal;
  readonly literalQuoteAt?: number | undefined;
}

interface Profiled {
  readonly profile: Profile;
  readonly unclosedQuoteAt: number | undefined;
}

async function profiled(reading: Reading): Promise<Profiled> {
  const table = tableProfile();
  const batches = records(reading);
  let batch = await batches.next();
  while (!batch.done) {
    table.add(batch.value);
    batch = await batches.next();
  }
  return { profile: table.end(reading.shape.delimiter === ","), unclosedQuoteAt: batch.value };
}

/** Returns, at the end, the offset of a quote that was never closed. */
async function* records({ path, shape, signal, literalQuoteAt }: Reading): AsyncGenerator<Row[], number | undefined> {
  const reader = recordReader({ delimiter: shape.delimiter, literalQuoteAt });
  let toSkip = shape.hasSeparatorLine ? 1 : 0;
  for await (const text of textChunks(path, shape)) {
    signal.throwIfAborted();
    const rows = reader.read(text);
    const skipped = Math.min(toSkip, rows.length);
    toSkip -= skipped;
    if (rows.length > skipped) yield rows.slice(skipped);
  }
  const { rows, unclosedQuoteAt } = reader.end();
  yield rows.slice(toSkip);
  return unclosedQuoteAt;
}
