/** Markup that is safe to send: made by `html` alone. */
export interface Html {
  readonly markup: string;
}

/** A template whose values are escaped, unless they are markup themselves. */
export function html(texts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { markup: texts.map((text, at) => `${text}${markupOf(values[at])}`).join("") };
}

/** What a template takes; nothing stands for nothing. */
type Value = string | Html | readonly Html[] | undefined;

function markupOf(value: Value): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
  return "markup" in value ? value.markup : value.map(markupOf).join("");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
