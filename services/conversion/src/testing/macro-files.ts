import type { JobOrder } from "./jobs.js";

/** Sheets with a cell that calls a Basic macro, which writes a file and makes the cell say `ran`. */
export function macroFiles(path: string): readonly JobOrder[] {
  const bytes = Buffer.from(sheet(path));
  return (["pdf", "xlsx"] as const).map((target) => ({ extension: "fods", target, bytes }));
}

const ODF = "urn:oasis:names:tc:opendocument:xmlns";

function sheet(path: string): string {
  const spaces = ["office", "text", "table", "script"].map((name) => `xmlns:${name}="${ODF}:${name}:1.0"`);
  return `<?xml version="1.0"?><office:document ${spaces.join(" ")} xmlns:of="${ODF}:of:1.2"
xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:ooo="http://openoffice.org/2004/office" office:version="1.2"
office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:scripts><office:script script:language="ooo:Basic">
<ooo:libraries><ooo:library-embedded ooo:name="Standard"><ooo:module ooo:name="Module1"><ooo:source-code>Function Writes()
Open "${path}" For Output As #1
Print #1, "x"
Close #1
Writes = "ran"
End Function
</ooo:source-code></ooo:module></ooo:library-embedded></ooo:libraries></office:script></office:scripts>
<office:body><office:spreadsheet><table:table table:name="own"><table:table-row><table:table-cell office:value-type="string">
<text:p>visible</text:p></table:table-cell><table:table-cell table:formula="of:=WRITES()"/></table:table-row></table:table>
</office:spreadsheet></office:body></office:document>`;
}
