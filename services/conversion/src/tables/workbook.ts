import { GENERAL } from "./column.js";
import { sheetLimits } from "./limits.js";
import { looks } from "./looks.js";
import type { Table } from "./sheet.js";
import { sheetPart } from "./sheet-part.js";
import { sheetsOf } from "./sheets.js";
import { contentTypesPart, packageRelationsPart, workbookPart, workbookRelationsPart } from "./workbook-parts.js";
import { writeZip, type ZipPart } from "./zip.js";

interface WorkbookOptions {
  readonly path: string;
  /** Stops the writing; its reason is what then is thrown. */
  readonly signal: AbortSignal;
  /** Rows of a sheet, if fewer than it can hold. */
  readonly rowsMax?: number | undefined;
}

/** Writes tables as a workbook. The same tables give the same bytes, whenever and wherever. */
export async function writeWorkbook(tables: readonly Table[], options: WorkbookOptions): Promise<void> {
  const { sheets, close } = sheetsOf(tables, options.rowsMax ?? sheetLimits.rows);
  const used = looks(GENERAL);
  const names = sheets.map(({ name }) => name);
  const parts: ZipPart[] = [
    textPart("[Content_Types].xml", () => contentTypesPart(names.length)),
    textPart("_rels/.rels", packageRelationsPart),
    textPart("xl/workbook.xml", () => workbookPart(names)),
    textPart("xl/_rels/workbook.xml.rels", () => workbookRelationsPart(names.length)),
    ...sheets.map((sheet, at) => ({
      path: `xl/worksheets/sheet${at + 1}.xml`,
      pieces: () => sheetPart(sheet, used),
    })),
    // Last: only now all looks of cells are known.
    textPart("xl/styles.xml", used.part),
  ];
  try {
    await writeZip(options.path, parts, options.signal);
  } finally {
    await close();
  }
}

function textPart(path: string, text: () => string): ZipPart {
  return { path, pieces: () => [Buffer.from(text())] };
}
