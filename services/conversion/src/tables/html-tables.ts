import { join } from "node:path";
import { htmlPage } from "./html-page.js";
import { htmlText } from "./html-text.js";
import { rowSpool } from "./row-spool.js";
import type { Tables } from "./sheet.js";

interface PageFile {
  readonly path: string;
  /** For what does not stay in memory. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Reads a page through once. */
export async function htmlTables({ path, folder, signal }: PageFile): Promise<Tables> {
  const spool = rowSpool(join(folder, "rows.jsonl"));
  try {
    const page = htmlPage(spool);
    for await (const text of htmlText(path)) {
      signal.throwIfAborted();
      page.write(text);
      await spool.relieve();
    }
    const tables = page.end().map((table, index) => ({
      name: table.name || `Sheet${index + 1}`,
      profile: table.profile,
      merges: table.merges,
      rows: () => spool.rows(table.number),
    }));
    return { tables, close: spool.close };
  } catch (error) {
    await spool.close();
    throw error;
  }
}
