/** Whose XML it is: what its documents may declare before their first element depends on it. */
export type XmlDialect = "openXml" | "openDocument" | "spreadsheetMl" | "svg";

/**
 * Whether a document type, less `<!DOCTYPE` and `>`, does nothing to whoever reads the document. Old OpenOffice and most
 * drawing programs name a public one, which no engine fetches; Adobe Illustrator abbreviates its namespaces by entities.
 */
export function isHarmless(doctype: string, dialect: XmlDialect): boolean {
  const known = PUBLIC[dialect];
  if (known === undefined) return false;
  const bracket = doctype.indexOf("[");
  if (bracket < 0) return known.test(doctype);
  const subset = doctype.slice(bracket + 1, doctype.lastIndexOf("]"));
  return dialect === "svg" && known.test(doctype.slice(0, bracket)) && isPlainEntities(subset);
}

/** Whether an instruction, less `<?`, may stand there: an XML declaration only with an encoding that hides no markup. */
export function isKnownEncoding(instruction: string): boolean {
  if (!/^xml\s/.test(instruction)) return true;
  const encoding = /\sencoding\s*=\s*["']([^"']*)["']/.exec(instruction)?.[1];
  return encoding === undefined || PLAIN_ENCODINGS.test(encoding);
}

const PUBLIC: Partial<Record<XmlDialect, RegExp>> = {
  openDocument: /^\s+[\w:]+\s+PUBLIC\s+"-\/\/OpenOffice\.org\/\/DTD [^"]*"\s+"[^"]*"\s*$/,
  svg: /^\s+svg(?:\s+PUBLIC\s+"-\/\/W3C\/\/DTD SVG [^"]*"\s+"[^"]*")?\s*$/,
};

/** In all of these, the bytes of `<`, `>` and `&` are never anything else. */
const PLAIN_ENCODINGS =
  /^(?:utf-?8|utf-?16(?:le|be)?|us-ascii|ascii|iso-8859-\d{1,2}|windows-\d{3,4}|cp\d{3,4}|koi8-[ru]|shift_jis|gbk|gb2312|gb18030|big5|euc-(?:jp|kr))$/i;

/** An entity that stands for other entities, or for a file, or for much text, is a weapon. */
const PLAIN_ENTITY = /^<!ENTITY\s+[\w.-]{1,64}\s+(?:"[^"&%<]{0,128}"|'[^'&%<]{0,128}')\s*>\s*/;

function isPlainEntities(subset: string): boolean {
  let rest = subset.trimStart();
  while (rest !== "") {
    const entity = PLAIN_ENTITY.exec(rest);
    if (entity === null) return false;
    rest = rest.slice(entity[0].length);
  }
  return true;
}
