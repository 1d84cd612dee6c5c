import { Parser } from "htmlparser2";
import { tooComplex } from "../faults.js";
import { type CellText, cellText } from "./cell-text.js";
import { prose } from "./html-prose.js";
import { type OpenTable, openTable, type PageTable } from "./html-table.js";
import type { RowSpool } from "./row-spool.js";

interface PageReader {
  write(text: string): void;
  /** The tables in the order in which they begin, nested ones too; of a page without any its text, a line a row. */
  end(): PageTable[];
}

/** Reads the tables of a page; their rows go to the spool. Throws the Faults of what no sheet or workbook can hold. */
export function htmlPage(spool: RowSpool): PageReader {
  const page = newPage(spool);
  const parser = new Parser({
    onopentag: (name, attributes) => {
      page.depth += 1;
      if (page.depth > DEPTH_MAX) throw tooComplex();
      opening(page, name, attributes);
    },
    ontext: (text) => textTarget(page)?.add(text, page.preformatted > 0),
    onclosetag: (name) => {
      page.depth -= 1;
      closing(page, name);
    },
  });
  return {
    write: (text) => parser.write(text),
    end() {
      parser.end();
      const tables = page.ended.length > 0 ? page.ended : [page.prose.end()];
      // The title of a page is about all of it: it names a table only where there is no other.
      const title = tables.length === 1 ? page.title.end() : "";
      const named = tables.map((table) => ({ ...table, name: table.name || (title ?? "") }));
      return named.sort((one, other) => one.number - other.number);
    },
  };
}

/** Elements within one another: a page has some dozens, and the parser slows down with each. */
const DEPTH_MAX = 5000;
const TABLES_MAX = 1000;
const MERGES_MAX = 65_536;

interface Page {
  readonly spool: RowSpool;
  /** Innermost last. */
  readonly open: OpenTable[];
  readonly ended: PageTable[];
  readonly prose: ReturnType<typeof prose>;
  readonly title: CellText;
  begun: number;
  merges: number;
  depth: number;
  /** Open elements whose text nobody sees. */
  ignored: number;
  titles: number;
  /** Open elements whose spaces count. */
  preformatted: number;
}

function newPage(spool: RowSpool): Page {
  const counters = { begun: 0, merges: 0, depth: 0, ignored: 0, titles: 0, preformatted: 0 };
  return { spool, open: [], ended: [], prose: prose(0, spool), title: cellText(), ...counters };
}

function opening(page: Page, name: string, attributes: Readonly<Record<string, string>>): void {
  if (invisible.has(name)) page.ignored += 1;
  if (name === "title") page.titles += 1;
  if (preformatted.has(name)) page.preformatted += 1;
  const table = page.open.at(-1);
  if (name === "table") startTable(page, attributes);
  else if (table !== undefined && name in partStarts) partStarts[name]?.(table, attributes);
  else if (name === "br") textTarget(page)?.breakLine();
  else if (blocks.has(name)) breakBlock(page);
}

function closing(page: Page, name: string): void {
  if (invisible.has(name)) page.ignored -= 1;
  if (name === "title") page.titles -= 1;
  if (preformatted.has(name)) page.preformatted -= 1;
  const table = page.open.at(-1);
  if (name === "table") endTable(page);
  else if (table !== undefined && name in partEnds) partEnds[name]?.(table);
  else if (blocks.has(name)) breakBlock(page);
}

function startTable(page: Page, attributes: Readonly<Record<string, string>>): void {
  breakBlock(page);
  page.begun += 1;
  const label = attributes["aria-label"] ?? attributes["title"] ?? "";
  const mayMerge = () => page.merges++ < MERGES_MAX;
  page.open.push(openTable({ number: page.begun, label, spool: page.spool, mayMerge }));
}

function endTable(page: Page): void {
  const table = page.open.pop()?.end();
  if (table === undefined) return;
  if (page.ended.push(table) > TABLES_MAX) throw tooComplex();
}

function textTarget(page: Page): CellText | undefined {
  if (page.titles > 0) return page.title;
  if (page.ignored > 0) return undefined;
  const table = page.open.at(-1);
  return table === undefined ? page.prose.text() : table.text();
}

function breakBlock(page: Page): void {
  if (page.open.length === 0) page.prose.endLine();
  else textTarget(page)?.breakBlock();
}

type Part = (table: OpenTable, attributes: Readonly<Record<string, string>>) => void;

const partStarts: Readonly<Record<string, Part>> = {
  caption: (table) => table.startCaption(),
  thead: (table) => table.endGroup(),
  tbody: (table) => table.endGroup(),
  tfoot: (table) => table.endGroup(),
  tr: (table) => table.startRow(),
  td: (table, attributes) => table.startCell(attributes, false),
  th: (table, attributes) => table.startCell(attributes, true),
};

const partEnds: Readonly<Record<string, (table: OpenTable) => void>> = {
  caption: (table) => table.endCell(),
  thead: (table) => table.endGroup(),
  tbody: (table) => table.endGroup(),
  tfoot: (table) => table.endGroup(),
  tr: (table) => table.endRow(),
  td: (table) => table.endCell(),
  th: (table) => table.endCell(),
};

const invisible = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "head",
  "iframe",
  "object",
  "svg",
  "math",
  "select",
]);

const preformatted = new Set(["pre", "textarea"]);

const blocks = new Set(
  (
    "address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hr html legend li main nav ol p pre section summary table ul"
  ).split(" "),
);
