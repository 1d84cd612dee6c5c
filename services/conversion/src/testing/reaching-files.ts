import type { JobOrder } from "./jobs.js";
import { zipOf } from "./zip-files.js";

/** Where a file tries to get at: a web server, a file of this machine. */
export interface Reach {
  readonly url: string;
  readonly path: string;
}

/** Files of strangers that name what is elsewhere in each way that their format knows. All of them say `visible`. */
export async function reachingFiles(reach: Reach): Promise<readonly JobOrder[]> {
  const texts = { html: html(reach), fodt: flatText(reach), fods: flatSheet(reach), rtf: rtf(reach), svg: svg(reach) };
  const orders = Object.entries(texts).map(([extension, text]) => order(extension, Buffer.from(text)));
  return [...orders, order("docx", await docx(reach)), { ...order("fods", Buffer.from(texts.fods)), target: "xlsx" }];
}

function order(extension: string, bytes: Buffer): JobOrder {
  return { extension, target: "pdf", bytes };
}

function html({ url, path }: Reach): string {
  return `<!doctype html><html><head><link rel="stylesheet" href="${url}/a.css"><style>@import url("${url}/b.css");
body { background: url(${url}/a.png) }</style><script src="${url}/a.js"></script></head><body><p>visible</p>
<img src="${url}/b.png"><img src="file://${path}"><iframe src="${url}/a.html"></iframe><iframe src="file://${path}"></iframe>
<object data="${url}/a.txt"></object><object data="file://${path}"></object><embed src="file://${path}">
<table background="${url}/c.png"><tr><td>cell</td></tr></table></body></html>`;
}

function rtf({ url, path }: Reach): string {
  const field = (text: string) => `{\\field{\\*\\fldinst ${text}}{\\fldrslt x}}`;
  const fields = [`INCLUDEPICTURE "${url}/a.png" \\\\d`, `INCLUDETEXT "${url}/a.txt"`, `INCLUDETEXT "${path}"`];
  return `{\\rtf1\\ansi{\\*\\template ${url}/a.dot}visible ${fields.map(field).join(" ")}}`;
}

function svg({ url, path }: Reach): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="200">
<style>@import url("${url}/a.css");</style><text x="10" y="20">visible</text><use xlink:href="${url}/a.svg#a"/>
<image xlink:href="${url}/a.png" width="50" height="50"/><image xlink:href="file://${path}" width="50" height="50"/></svg>`;
}

const ODF = "urn:oasis:names:tc:opendocument:xmlns";

function flat(kind: string, body: string): string {
  const spaces = ["office", "text", "table", "script", "style"].map((name) => `xmlns:${name}="${ODF}:${name}:1.0"`);
  return `<?xml version="1.0"?><office:document ${spaces.join(" ")} xmlns:draw="${ODF}:drawing:1.0"
xmlns:svg="${ODF}:svg-compatible:1.0" xmlns:of="${ODF}:of:1.2" xmlns:xlink="http://www.w3.org/1999/xlink"
xmlns:ooo="http://openoffice.org/2004/office" office:version="1.2"
office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:body><office:${kind}>${body}</office:${kind}></office:body>
</office:document>`;
}

function flatText({ url, path }: Reach): string {
  const frame = (content: string) =>
    `<draw:frame svg:width="3cm" svg:height="3cm" text:anchor-type="as-char">${content}</draw:frame>`;
  const section = (name: string, href: string) =>
    `<text:section text:name="${name}"><text:section-source xlink:href="${href}" text:filter-name="Text"/><text:p>old</text:p></text:section>`;
  const image = (href: string) =>
    frame(`<draw:image xlink:href="${href}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/>`);
  const inner = (name: string, href: string) => frame(`<draw:${name} xlink:href="${href}" xlink:type="simple"/>`);
  return flat(
    "text",
    `<text:p>visible ${image(`${url}/a.png`)}${image(`file://${path}`)}${inner("floating-frame", `file://${path}`)}
${inner("floating-frame", `${url}/a.html`)}${inner("object", `file://${path}`)}</text:p>
${section("a", `${url}/a.txt`)}${section("b", `file://${path}`)}`,
  );
}

function flatSheet({ url, path }: Reach): string {
  const formula = (text: string) => `<table:table-cell table:formula="of:=${text}"/>`;
  const linked = (
    name: string,
    href: string,
  ) => `<table:table table:name="${name}"><table:table-source xlink:href="${href}"
table:filter-name="Text - txt - csv (StarCalc)" table:filter-options="44,34,76,1" table:mode="copy-all"/>
<table:table-row><table:table-cell/></table:table-row></table:table>`;
  const formulas = [
    `WEBSERVICE(&quot;${url}/a.txt&quot;)`,
    `WEBSERVICE(&quot;file://${path}&quot;)`,
    `&apos;${url}/a.ods&apos;#$Sheet1.A1`,
    `&apos;file://${path}&apos;#$Sheet1.A1`,
    `DDE(&quot;soffice&quot;;&quot;${path}&quot;;&quot;a&quot;)`,
  ];
  return flat(
    "spreadsheet",
    `<table:table table:name="own"><table:table-row><table:table-cell office:value-type="string"><text:p>visible</text:p>
</table:table-cell>${formulas.map(formula).join("")}</table:table-row></table:table>
${linked("a", `${url}/a.csv`)}${linked("b", `file://${path}`)}`,
  );
}

const OOXML = "http://schemas.openxmlformats.org";
const RELATIONS = `${OOXML}/officeDocument/2006/relationships`;

function docx({ url, path }: Reach): Promise<Buffer> {
  const main = `${OOXML}/wordprocessingml/2006/main`;
  const relations = (...entries: (readonly [id: string, kind: string, target: string])[]) =>
    `<?xml version="1.0"?><Relationships xmlns="${OOXML}/package/2006/relationships">${entries
      .map(([id, kind, target]) => {
        const mode = target.includes(":") ? ' TargetMode="External"' : "";
        return `<Relationship Id="${id}" Type="${RELATIONS}/${kind}" Target="${target}"${mode}/>`;
      })
      .join("")}</Relationships>`;
  const type = (part: string, name: string) =>
    `<Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.${name}+xml"/>`;
  const fields = [
    `INCLUDEPICTURE &quot;${url}/b.png&quot; \\d`,
    `INCLUDETEXT &quot;${url}/a.txt&quot;`,
    `INCLUDETEXT &quot;${path}&quot;`,
  ];
  const body = `<w:p><w:r><w:t>visible</w:t></w:r>${picture("rId1")}${picture("rId2")}${fields.map(field).join("")}</w:p>`;
  return zipOf([
    [
      "[Content_Types].xml",
      `<?xml version="1.0"?><Types xmlns="${OOXML}/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
${type("/word/document.xml", "document.main")}${type("/word/settings.xml", "settings")}</Types>`,
    ],
    ["_rels/.rels", relations(["rId1", "officeDocument", "word/document.xml"])],
    [
      "word/_rels/document.xml.rels",
      relations(
        ["rId1", "image", `${url}/a.png`],
        ["rId2", "image", `file://${path}`],
        ["rId3", "settings", "settings.xml"],
      ),
    ],
    ["word/_rels/settings.xml.rels", relations(["rId1", "attachedTemplate", `${url}/a.dotm`])],
    [
      "word/settings.xml",
      `<w:settings xmlns:w="${main}" xmlns:r="${RELATIONS}"><w:attachedTemplate r:id="rId1"/></w:settings>`,
    ],
    ["word/document.xml", `<w:document xmlns:w="${main}" xmlns:r="${RELATIONS}"><w:body>${body}</w:body></w:document>`],
  ]);
}

function field(text: string): string {
  const mark = (kind: string) => `<w:r><w:fldChar w:fldCharType="${kind}"/></w:r>`;
  return `${mark("begin")}<w:r><w:instrText xml:space="preserve"> ${text} </w:instrText></w:r>${mark("separate")}<w:r><w:t>x</w:t></w:r>${mark("end")}`;
}

function picture(id: string): string {
  const drawing = `${OOXML}/drawingml/2006`;
  return `<w:r><w:drawing><wp:inline xmlns:wp="${drawing}/wordprocessingDrawing"><wp:extent cx="900000" cy="900000"/>
<wp:docPr id="1" name="p"/><a:graphic xmlns:a="${drawing}/main"><a:graphicData uri="${drawing}/picture">
<pic:pic xmlns:pic="${drawing}/picture"><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr>
<pic:blipFill><a:blip r:link="${id}"/><a:stretch/></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/>
<a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic>
</wp:inline></w:drawing></w:r>`;
}
