import { escaped } from "./xml-text.js";

export function contentTypesPart(sheetCount: number): string {
  const sheets = numbers(sheetCount).map((number) => override(`worksheets/sheet${number}`, "worksheet"));
  return (
    `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `${override("workbook", "sheet.main")}${sheets.join("")}${override("styles", "styles")}</Types>`
  );
}

export function packageRelationsPart(): string {
  return relations([relation("rId1", "officeDocument", "xl/workbook.xml")]);
}

export function workbookPart(names: readonly string[]): string {
  const sheets = names.map((name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`);
  return (
    `${XML}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${RELATIONS}">` +
    `<bookViews><workbookView/></bookViews><sheets>${sheets.join("")}</sheets></workbook>`
  );
}

export function workbookRelationsPart(sheetCount: number): string {
  const sheets = numbers(sheetCount).map((number) =>
    relation(`rId${number}`, "worksheet", `worksheets/sheet${number}.xml`),
  );
  return relations([...sheets, relation(`rId${sheetCount + 1}`, "styles", "styles.xml")]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function override(path: string, type: string): string {
  const mediaType = `application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml`;
  return `<Override PartName="/xl/${path}.xml" ContentType="${mediaType}"/>`;
}

function relations(all: readonly string[]): string {
  return `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join("")}</Relationships>`;
}

function relation(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
}
