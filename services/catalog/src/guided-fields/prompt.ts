/** What a field adds to a prompt, and what it stands for there. */
export interface Enrichment {
  template: string;
  label: string;
  value: string;
}

/** Characters of a prompt at most: a template may repeat a long value many times. */
export const PROMPT_MAX = 1_000_000;

/** The templates with their places filled, a line or more each; undefined: together they are too long. */
export function fillTemplates(enrichments: readonly Enrichment[]): string | undefined {
  const parts: string[] = [];
  let length = 0;
  for (const { template, label, value } of enrichments) {
    const lead = parts.length === 0 ? "" : "\n";
    // Split once: what is put in is never looked at again, so it stays in its place whatever it says.
    for (const part of [lead, ...template.split(PLACES)]) {
      const text = part === "{{value}}" ? value : part === "{{label}}" ? label : part;
      length += text.length;
      if (length > PROMPT_MAX) {
        return undefined;
      }
      parts.push(text);
    }
  }
  return parts.join("");
}

const PLACES = /(\{\{(?:value|label)\}\})/;
