import { PDFDocument, type PDFFont, StandardFonts } from "pdf-lib";
import { findEncoding } from "../tables/encoding.js";
import { textChunks } from "../tables/text-chunks.js";
import { Refused } from "./basic-task.js";

/** Text as it stands, 80 characters a line, 60 lines a page. Needs the characters of Western Europe; no font is at hand for others. */
export async function textPdf(path: string): Promise<() => Promise<Uint8Array>> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Courier);
  const known = new Set(font.getCharacterSet());
  const lines: string[] = [];
  for await (const line of linesOf(path)) {
    for (const character of line) {
      if (!known.has(character.codePointAt(0) ?? 0)) throw new Refused("unable", "a character that no font here has");
    }
    lines.push(...wrapped(line));
    if (lines.length > LINES_MAX) throw new Refused("complex", `more than ${LINES_MAX} lines`);
  }
  return async () => {
    for (let first = 0; first < Math.max(1, lines.length); first += PAGE_LINES) {
      write(document, font, lines.slice(first, first + PAGE_LINES));
    }
    return document.save();
  };
}

const A4_POINTS: [number, number] = [595.28, 841.89];
const MARGIN_POINTS = 57;
const FONT_POINTS = 10;
const LINE_POINTS = 12;
const LINE_CHARACTERS = 80;
const PAGE_LINES = 60;
const TAB_CHARACTERS = 8;
/** 5,000 pages. */
const LINES_MAX = 300_000;
const LINE_MAX_CHARACTERS = 1_000_000;

async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of textChunks(path, await findEncoding(path))) {
    const pieces = (rest + chunk).split("\n");
    rest = pieces.pop() ?? "";
    if (rest.length > LINE_MAX_CHARACTERS) throw new Refused("complex", "a line without end");
    for (const piece of pieces) yield plain(piece);
  }
  if (rest !== "") yield plain(rest);
}

/** Tabs become spaces; other control characters have no place on paper. */
function plain(line: string): string {
  let text = "";
  for (const character of line) {
    if (character === "\t") text += " ".repeat(TAB_CHARACTERS - (text.length % TAB_CHARACTERS));
    else if (character >= " " && character !== "\u007f") text += character;
  }
  return text;
}

/** Broken at the last space that fits, else in the middle of a word. */
function wrapped(line: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (line.length - start > LINE_CHARACTERS) {
    const space = line.lastIndexOf(" ", start + LINE_CHARACTERS);
    const end = space > start ? space : start + LINE_CHARACTERS;
    pieces.push(line.slice(start, end));
    start = space > start ? space + 1 : end;
  }
  pieces.push(line.slice(start));
  return pieces;
}

function write(document: PDFDocument, font: PDFFont, lines: readonly string[]): void {
  const page = document.addPage(A4_POINTS);
  const y = A4_POINTS[1] - MARGIN_POINTS - FONT_POINTS;
  page.drawText(lines.join("\n"), { x: MARGIN_POINTS, y, font, size: FONT_POINTS, lineHeight: LINE_POINTS });
}
