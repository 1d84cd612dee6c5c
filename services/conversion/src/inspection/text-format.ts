import { formatOf } from "./formats.js";
import { firstTag, flatXmlFormat } from "./xml-format.js";

/**
 * The extension of the format that a text is of, which its name helps to say: a list with commas is a table under `.csv`
 * and a note under `.txt`, and both are right.
 */
export function textFormat(head: string, nameExtension: string): string {
  const content = contentFormat(head);
  const named = formatOf(nameExtension);
  if (named === undefined) return content ?? (delimiterOf(head) === undefined ? "txt" : tableFormat(head));
  switch (named.extension) {
    case "txt":
    case "html":
      return named.extension;
    case "csv":
    case "tsv":
      return content ?? named.extension;
    default:
      return content ?? (delimiterOf(head) === undefined ? "txt" : tableFormat(head));
  }
}

/** Whether a text is a web page, or a piece of one, as programs write that call a table of HTML a workbook. */
export function isHtml(head: string): boolean {
  const tag = firstTag(head);
  const name = /^(?:!doctype\s+)?([a-z][a-z0-9]*)/i.exec(tag ?? "")?.[1];
  return name !== undefined && HTML_STARTS.has(name.toLowerCase());
}

const HTML_STARTS = new Set(
  "html head title meta link style script base body table div p span center font b h1 h2 h3 h4 ul ol pre".split(" "),
);

/** A SYLK file begins with its ID record, and goes on with one of another kind. A csv may begin with `ID;P`, too. */
const SYLK = /^ID;P[^\r\n]{0,64}[\r\n]+(?:B|C|E|F|NN|NU|NE|O|P|W)[;\r\n]/;

function contentFormat(head: string): string | undefined {
  if (SYLK.test(head)) return "slk";
  return flatXmlFormat(head) ?? (isHtml(head) ? "html" : undefined);
}

function tableFormat(head: string): string {
  return delimiterOf(head) === "\t" ? "tsv" : "csv";
}

const LINES = 20;

/** The delimiter of a table: every one of its first lines has it equally often. */
function delimiterOf(head: string): string | undefined {
  const lines = head.split(/\r\n|\r|\n/, LINES + 1).slice(0, LINES);
  const filled = lines.filter((line) => line.trim() !== "");
  if (filled.length < 2) return undefined;
  return ["\t", ";", ","].find((delimiter) => {
    const counts = new Set(filled.map((line) => line.split(delimiter).length));
    return counts.size === 1 && !counts.has(1);
  });
}
