import { readFile } from "node:fs/promises";
import { describe, expect, test } from "@jest/globals";
import { sheetLimitExceeded, tooComplex } from "../faults.js";
import { openBook, readSheets, type SheetRead } from "../testing/sheets.js";
import { converted, convertedText } from "../testing/tables.js";

async function sheets(page: string | Buffer): Promise<SheetRead[]> {
  return readSheets(await converted({ extension: "html", bytes: Buffer.from(page) }));
}

/** The rows of the only sheet. */
async function rows(page: string): Promise<SheetRead["rows"]> {
  const [sheet, ...others] = await sheets(page);
  expect(others).toEqual([]);
  return sheet?.rows ?? [];
}

describe("each table of a page is a sheet", () => {
  test("in the order in which they begin, named by their captions, labels or numbers", async () => {
    const page =
      "<title>Page</title><table><caption>Costs</caption><tr><td>a</table><p>between</p>" +
      '<table aria-label="Staff"><tr><td>b</table><table><tr><td>c</table>';
    expect(await sheets(page)).toEqual([
      { name: "Costs", rows: [["a"]] },
      { name: "Staff", rows: [["b"]] },
      { name: "Sheet3", rows: [["c"]] },
    ]);
  });

  test("the only one is named by the page", async () => {
    expect((await sheets("<title>Costs 2026</title><table><tr><td>a</table>"))[0]?.name).toBe("Costs 2026");
  });

  test("names are as workbooks want them", async () => {
    const captions = [
      "a/b:c*d?[e]",
      "'quoted'",
      "Same",
      "same",
      "History",
      "x".repeat(40),
      "x".repeat(40),
      "😀".repeat(20),
      "\u0001",
    ];
    const page = captions.map((caption) => `<table><caption>${caption}</caption><tr><td>1</table>`).join("");
    expect((await sheets(page)).map(({ name }) => name)).toEqual([
      "a b c d e",
      "quoted",
      "Same",
      "same (2)",
      "History_",
      "x".repeat(31),
      `${"x".repeat(27)} (2)`,
      "😀".repeat(15),
      "Sheet9",
    ]);
  });

  test("nested ones too, and tables without text of their own are none", async () => {
    const page =
      "<table><tr><td><table><tr><td>inner 1<td>x</table></td></tr><tr><td><table><tr><td>inner 2</table></table>" +
      "<table><tr><td>outer<table><tr><td>deep</table>text</td><td>next</td></tr></table>";
    expect((await sheets(page)).map((sheet) => sheet.rows)).toEqual([
      [["inner 1", "x"]],
      [["inner 2"]],
      [["outer\ntext", "next"]],
      [["deep"]],
    ]);
  });
});

describe("the text of a cell is what a reader sees", () => {
  test.each<[string, string, unknown]>([
    ["entities", "caf&eacute; &lt;b&gt; &#8364;&#x20ac; &amp;amp;", "café <b> €€ &amp;"],
    ["white space runs together", " a \n\t b <b> c</b> ", "a b c"],
    ["breaks and blocks are lines", "a<br>b<p>c</p><p>d</p><ul><li>e<li>f</ul>", "a\nb\nc\nd\ne\nf"],
    ["preformatted text keeps its spaces", "<pre>a\n  b</pre>", "a\n  b"],
    ["no-break spaces at the ends are nothing", "&nbsp;12&nbsp;", 12],
    ["scripts, styles and drawings are no text", "a<script>1</script><style>b{}</style><svg><text>t</text></svg>", "a"],
    ["what looks like a formula", "=1+1", "=1+1"],
    ["control characters are dropped", "a&#1;b&#xFFFF;c\u0002", "abc"],
    ["leading zeros stay", "007", "007"],
  ])("%s", async (_, html, text) => {
    expect(await rows(`<table><tr><td>${html}</td></tr></table>`)).toEqual([[text]]);
  });

  test("columns are typed as those of text files", async () => {
    const cells = [
      ["day", "amount"],
      ["28.02.2026", "1.234,50"],
      ["01.03.2026", "7,25"],
    ];
    const page = cells.map((row) => `<tr>${row.map((cell) => `<td>${cell}`).join("")}`).join("");
    expect(await rows(`<table>${page}</table>`)).toEqual([
      ["day", "amount"],
      [new Date("2026-02-28"), 1234.5],
      [new Date("2026-03-01"), 7.25],
    ]);
  });
});

describe("cells have the places that browsers give them", () => {
  async function layout(html: string) {
    const sheet = (await openBook(await convertedText(`<table>${html}</table>`, "html"))).worksheets[0];
    return { rows: (await rows(`<table>${html}</table>`)) ?? [], merges: sheet?.model.merges ?? [] };
  }

  test.each<[string, string, SheetRead["rows"], string[]]>([
    [
      "columns",
      "<tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e",
      [
        ["a", null, "b"],
        ["c", "d", "e"],
      ],
      ["A1:B1"],
    ],
    [
      "rows",
      "<tr><td rowspan=2>a<td>b<tr><td>c",
      [
        ["a", "b"],
        [null, "c"],
      ],
      ["A1:A2"],
    ],
    [
      "both",
      "<tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>d",
      [["a", null, "b"], [null, null, "c"], ["d"]],
      ["A1:B2"],
    ],
    [
      "more rows than there are",
      "<tr><td rowspan=9>a<td>b<tr><td>c",
      [
        ["a", "b"],
        [null, "c"],
      ],
      ["A1:A2"],
    ],
    [
      "all rows of the group",
      "<tbody><tr><td rowspan=0>a<td>b<tr><td>c<tbody><tr><td>d",
      [["a", "b"], [null, "c"], ["d"]],
      ["A1:A2"],
    ],
    [
      "no two the same place",
      "<tr><td>a<td rowspan=2>b<tr><td colspan=3>c",
      [
        ["a", "b"],
        ["c", null],
      ],
      ["B1:B2"],
    ],
    [
      "nonsense spans",
      '<tr><td colspan=0>a<td colspan=-2>b<td colspan="x">c<td rowspan="">d',
      [["a", "b", "c", "d"]],
      [],
    ],
  ])("spanning %s", async (_, html, expected, merges) => {
    const { rows: found, merges: ranges } = await layout(html);
    expect(found).toEqual(expected);
    expect(ranges).toEqual(merges);
  });

  test("headers are bold", async () => {
    const page = "<table><thead><tr><th>a<td>b<tbody><tr><th>c<td>d</table>";
    const sheet = (await openBook(await convertedText(page, "html"))).worksheets[0];
    const bold = ["A1", "B1", "A2", "B2"].map((address) => sheet?.getCell(address).font?.bold ?? false);
    expect(bold).toEqual([true, false, true, false]);
  });

  test("whatever ends are missing", async () => {
    expect(await rows("<table><tr><td><b>a<td><i>b<tr><td>c</table>")).toEqual([["a", "b"], ["c"]]);
    expect(await rows("<table><td>a<td>b")).toEqual([["a", "b"]]);
  });
});

test("a page without a table is its text, a line a row", async () => {
  const page = "<title>T</title><style>x{}</style><h1>Title</h1><p>First<br>second <b>bold</b></p><ul><li>third</ul>12";
  expect(await sheets(page)).toEqual([{ name: "T", rows: [["Title"], ["First"], ["second bold"], ["third"], [12]] }]);
});

test.each<[string, Buffer]>([
  ["UTF-8 that says so", Buffer.from("<meta charset=utf-8><table><td>Größe €</table>")],
  ["UTF-8 that does not say so", Buffer.from("<table><td>Größe €</table>")],
  ["UTF-16 with a mark", Buffer.from("\ufeff<table><td>Größe €</table>", "utf16le")],
  ["windows-1252", Buffer.from("<table><td>Gr\xf6\xdfe \x80</table>", "latin1")],
  [
    "latin-1, which means windows-1252",
    Buffer.from("<meta charset='ISO-8859-1'><table><td>Gr\xf6\xdfe \x80</table>", "latin1"),
  ],
  [
    "latin-9, said in the old way",
    Buffer.from(
      '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15"><table><td>Gr\xf6\xdfe \xa4</table>',
      "latin1",
    ),
  ],
  [
    "an encoding that nobody knows",
    Buffer.from("<meta charset=nonsense><table><td>Gr\xf6\xdfe \x80</table>", "latin1"),
  ],
])("the encoding of a page is found: %s", async (_, bytes) => {
  expect((await sheets(bytes))[0]?.rows).toEqual([["Größe €"]]);
});

test.each(["small.html", "page.html"])("reads every cell of %s", async (name) => {
  const page = await readFile(new URL(`../testing/samples/formats/${name}`, import.meta.url), "utf8");
  const table = await rows(page);
  expect(table).toHaveLength(page.match(/<tr[ >]/g)?.length ?? 0);
  const cells = [...page.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(
    ([, html]) => html?.replace(/<[^>]+>/g, "") ?? "",
  );
  expect(cells.length).toBeGreaterThan(100);
  expect(table.flat()).toEqual(cells.map((text) => (/^-?[\d.]+$/.test(text) ? Number(text) : text)));
});

describe("limits", () => {
  test("32,767 characters fit in a cell, one more does not", async () => {
    const longest = "x".repeat(32_767);
    expect(await rows(`<table><td>${longest}</table>`)).toEqual([[longest]]);
    await expect(rows(`<table><td>${longest}y</table>`)).rejects.toEqual(sheetLimitExceeded());
    // Outside of tables nobody asks for it.
    expect(await rows(`<p>${longest}y</p><table><td>a</table>`)).toEqual([["a"]]);
  });

  test("16,384 columns fit in a sheet, one more does not", async () => {
    const wide = `<table><tr>${"<td colspan=1000>".repeat(16)}<td colspan=383>`;
    expect((await rows(`${wide}<td>a</table>`))[0]).toHaveLength(16_384);
    await expect(rows(`${wide}<td>a<td>b</table>`)).rejects.toEqual(sheetLimitExceeded());
  });

  test("a thousand tables fit in a workbook, one more does not", async () => {
    const page = "<table><td>a</table>".repeat(1000);
    expect(await sheets(page)).toHaveLength(1000);
    await expect(sheets(`${page}<table><td>b</table>`)).rejects.toEqual(tooComplex());
  });

  test("five thousand elements may be within one another, one more may not", async () => {
    expect(await rows(`${"<div>".repeat(4999)}<p>a`)).toEqual([["a"]]);
    await expect(rows(`${"<div>".repeat(5001)}a`)).rejects.toEqual(tooComplex());
  });

  test("tables beyond memory come from disk, those within others too", async () => {
    const count = 20_000;
    const inner = Array.from({ length: count }, (_, at) => `<tr><td>inner row ${at} with some more text`).join("");
    const outer = Array.from({ length: count }, (_, at) => `<tr><td>outer row ${at} with some more text`).join("");
    const found = await sheets(`<table><tr><td><table>${inner}</table>first${outer}</table>`);
    expect(found.map((sheet) => [sheet.rows.length, sheet.rows.at(-1)])).toEqual([
      [count + 1, [`outer row ${count - 1} with some more text`]],
      [count, [`inner row ${count - 1} with some more text`]],
    ]);
  });
});
