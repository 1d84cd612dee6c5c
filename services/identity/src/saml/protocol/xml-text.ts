/** XML out of a template; each value is escaped, unless it is XML itself. */
export function xml(parts: TemplateStringsArray, ...values: readonly (string | XmlText)[]): XmlText {
  const text = parts.reduce((before, part, index) => before + written(values[index - 1]) + part);
  return { text };
}

/** Text that is XML. */
export interface XmlText {
  text: string;
}

export function joined(texts: readonly XmlText[]): XmlText {
  return { text: texts.map(({ text }) => text).join("") };
}

function written(value: string | XmlText | undefined): string {
  return typeof value === "string" ? value.replace(/[&<>"'\t\n\r]/g, escaped) : (value?.text ?? "");
}

function escaped(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
