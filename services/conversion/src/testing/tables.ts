import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { convertTables } from "../tables/convert-tables.js";
import { openJob } from "./jobs.js";

export interface TableFile {
  readonly extension: string;
  readonly bytes: Buffer;
  /** Rows of a sheet, if fewer than it can hold. */
  readonly rowsMax?: number;
}

/** The workbook that is made of the tables of a file. */
export async function converted({ extension, bytes, rowsMax }: TableFile): Promise<Buffer> {
  const job = await openJob({ extension, target: "xlsx", bytes });
  try {
    const outputPath = join(job.folder, "result.xlsx");
    await convertTables({ inputPath: job.source.path, outputPath, extension, rowsMax }, job.signal);
    return await readFile(outputPath);
  } finally {
    await job.end();
  }
}

/** The same for text that is written here. */
export function convertedText(text: string, extension = "csv", rowsMax?: number): Promise<Buffer> {
  const bytes = Buffer.from(text);
  return converted(rowsMax === undefined ? { extension, bytes } : { extension, bytes, rowsMax });
}
