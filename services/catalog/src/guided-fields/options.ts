import type { RenderedField } from "../store/guided-field-lists.js";
import type { Texts } from "../store/use-cases.js";
import { textIn } from "./texts.js";

/** The option of this text. Where options say the same in different languages, the first language decides. */
export function optionOf(
  { options }: Pick<RenderedField, "options">,
  chosen: unknown,
  languages: readonly string[],
): Texts | undefined {
  for (const language of languages) {
    const option = options.find((texts) => Object.hasOwn(texts, language) && texts[language] === chosen);
    if (option !== undefined) {
      return option;
    }
  }
  return undefined;
}

/** What the options are called in the first of these languages that each has. */
export function wordsOf({ options }: Pick<RenderedField, "options">, languages: readonly string[]): string[] {
  return options.map((texts) => textIn(texts, languages));
}
