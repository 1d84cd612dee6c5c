import { extname } from "node:path";
import { findDelimiter, separatorLine } from "./delimiter.js";
import { type EncodingFound, fileStart, findEncoding } from "./encoding.js";
import { decodeStart } from "./text-chunks.js";

/** How the cells of a text file are told apart. */
export interface TableShape extends EncodingFound {
  /** One character; empty where nothing parts columns, as in prose: one column then, a row a line. */
  readonly delimiter: string;
  /** Whether the first line only names the delimiter, as `sep=;`, and is no row. */
  readonly hasSeparatorLine: boolean;
}

/** Finds out by the content; only where that says nothing, by the extension of the path. */
export async function sniffTable(path: string): Promise<TableShape> {
  const found = await findEncoding(path);
  const start = await fileStart(path, SAMPLE_BYTES);
  const sample = decodeStart(start, found);
  const named = separatorLine(sample);
  const isWhole = start.length < SAMPLE_BYTES;
  const delimiter = named ?? findDelimiter(sample, { extension: extname(path).slice(1).toLowerCase(), isWhole });
  return { ...found, delimiter, hasSeparatorLine: named !== undefined };
}

const SAMPLE_BYTES = 64 * 1024;
