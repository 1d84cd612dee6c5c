import type { ResolvedTexts } from "@assistant/proto/assistant/catalog/v1/use_cases.js";
import type { Locale } from "@assistant/proto/assistant/common/v1/text.js";
import { languagesFor, textIn } from "./guided-fields/texts.js";
import type { Texts } from "./store/use-cases.js";

/** What a use case says in the language asked for, or in the next best one; nothing where none is asked for. */
export function resolvedTexts(
  { label, description }: { label: Texts; description: Texts },
  locale: Locale | undefined,
): ResolvedTexts | undefined {
  if (locale === undefined) return undefined;
  const languages = languagesFor(locale);
  const isTold = Object.keys(description).length > 0;
  return { label: textIn(label, languages), description: isTold ? textIn(description, languages) : undefined };
}
