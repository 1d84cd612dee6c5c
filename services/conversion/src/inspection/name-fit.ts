import type { Format } from "../format.js";
import { extensionsOf } from "./formats.js";

/** Whether a file of this format may have a name that ends so. Without an ending the content alone decides. */
export function fits(format: Format, nameExtension: string): boolean {
  return extensionOfFile(format, nameExtension) || (DISGUISES[nameExtension]?.includes(format.extension) ?? false);
}

function extensionOfFile(format: Format, nameExtension: string): boolean {
  return nameExtension === "" || extensionsOf(format).includes(nameExtension);
}

/**
 * Other formats under names of old ones, as web applications and users have made them for decades, and as Office opens
 * them too, with a warning or without: reports as HTML, tabs or XML called a workbook, rich text and pages called a
 * document, files of the newer format with the ending of the older. The engine is told what they are, so nothing is
 * guessed a second time. A presentation becomes a show by its name alone.
 */
const DISGUISES: Readonly<Record<string, readonly string[]>> = {
  xls: ["html", "xml", "tsv", "csv", "slk", "xlsx", "xlsb"],
  doc: ["rtf", "html", "docx"],
  ppt: ["pptx", "ppsx"],
  pps: ["ppsx", "pptx"],
  ppsx: ["pptx"],
  dot: ["dotx", "rtf"],
  xml: ["fodt", "fods", "fodp", "fodg"],
};
