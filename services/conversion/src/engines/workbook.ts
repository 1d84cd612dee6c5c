import { readFile } from "node:fs/promises";
import { read, set_cptable, write } from "@e965/xlsx";
import { Refused } from "./basic-task.js";

/** Values, formulas and number formats of a workbook as XLSX; no other looks, no macros. */
export async function workbook(path: string, extension: string): Promise<() => Promise<Uint8Array>> {
  if (extension === "xls") {
    // Those from before Unicode name a code page. The tables of all of them take longer to load than most workbooks.
    set_cptable(await import("@e965/xlsx/dist/cpexcel.full.mjs"));
  }
  const content = opened(await readFile(path));
  return async () => write(content, { type: "buffer", bookType: "xlsx", compression: true });
}

function opened(bytes: Buffer) {
  try {
    return read(bytes, { type: "buffer", cellNF: true });
  } catch (error) {
    const text = error instanceof Error ? error.message : "";
    throw new Refused(/password|encrypt/i.test(text) ? "protected" : "corrupt", text);
  }
}
