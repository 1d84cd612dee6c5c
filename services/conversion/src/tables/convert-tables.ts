import { dirname } from "node:path";
import type { Timing } from "../engine.js";
import { htmlTables } from "./html-tables.js";
import type { Tables } from "./sheet.js";
import { textTable } from "./text-table.js";
import { writeWorkbook } from "./workbook.js";

/** What is to be made of which file, in words that may cross to another thread. */
export interface TablesTask {
  readonly inputPath: string;
  /** In a folder of this task alone. */
  readonly outputPath: string;
  /** Of the format, without the dot. */
  readonly extension: string;
  /** Rows of a sheet, if fewer than it can hold. */
  readonly rowsMax?: number | undefined;
}

/** Reads the tables of a file and writes them as a workbook. Throws a Fault, or the reason of the signal. */
export async function convertTables(task: TablesTask, signal: AbortSignal): Promise<Timing[]> {
  const startedMs = performance.now();
  const { tables, close } = await readTables(task, signal);
  const loadedMs = performance.now();
  try {
    await writeWorkbook(tables, { path: task.outputPath, signal, rowsMax: task.rowsMax });
  } finally {
    await close();
  }
  return [
    { step: "load", durationMs: loadedMs - startedMs },
    { step: "export", durationMs: performance.now() - loadedMs },
  ];
}

async function readTables({ inputPath, outputPath, extension }: TablesTask, signal: AbortSignal): Promise<Tables> {
  if (extension === "html") return htmlTables({ path: inputPath, folder: dirname(outputPath), signal });
  return { tables: [await textTable(inputPath, signal)], close: async () => {} };
}
