import { escaped } from "./xml-text.js";

/** The looks of cells: each number format four times, for cells bold or not and with lines in them or not. */
export interface Looks {
  /** What a cell names its look by. */
  index(format: string, isBold: boolean, isWrapped: boolean): number;
  /** The part `styles.xml` with all looks that were asked for. */
  part(): string;
}

export function looks(general: string): Looks {
  const formats = [general];
  return {
    index(format, isBold, isWrapped) {
      const known = formats.indexOf(format);
      const at = known === -1 ? formats.push(format) - 1 : known;
      return at * 4 + (isBold ? 1 : 0) + (isWrapped ? 2 : 0);
    },
    part: () => stylesPart(formats),
  };
}

const FIRST_OWN_ID = 164;

function stylesPart(formats: readonly string[]): string {
  const own = formats
    .slice(1)
    .map((code, at) => `<numFmt numFmtId="${FIRST_OWN_ID + at}" formatCode="${escaped(code)}"/>`);
  const cells = formats.flatMap((_, at) => [0, 1, 2, 3].map((look) => cellFormat(at, look)));
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
    (own.length > 0 ? `<numFmts count="${own.length}">${own.join("")}</numFmts>` : "") +
    `<fonts count="2"><font>${FONT}</font><font><b/>${FONT}</font></fonts>` +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs count="${cells.length}">${cells.join("")}</cellXfs>` +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>' +
    "</styleSheet>"
  );
}

const FONT = '<sz val="11"/><name val="Calibri"/><family val="2"/>';

function cellFormat(at: number, look: number): string {
  const id = at === 0 ? 0 : FIRST_OWN_ID + at - 1;
  const format = `numFmtId="${id}" fontId="${look % 2}" fillId="0" borderId="0" xfId="0"`;
  const applied = `${at === 0 ? "" : ' applyNumberFormat="1"'}${look % 2 === 0 ? "" : ' applyFont="1"'}`;
  return look < 2
    ? `<xf ${format}${applied}/>`
    : `<xf ${format}${applied} applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>`;
}
