import { enumDescriptor, wordsOf } from "@assistant/kit/rules/descriptor.js";
import type { Locale } from "@assistant/proto/assistant/common/v1/text.js";
import type { Texts } from "../store/use-cases.js";

/** The languages in which a text is looked for, first to last: the one asked for, English, then any. */
export function languagesFor(asked: Locale | undefined): readonly string[] {
  const word = asked?.slice(PREFIX.length).toLowerCase();
  const preferred = word === undefined ? ["en"] : [word, "en"];
  return [...new Set([...preferred, ...LANGUAGES])];
}

/** What a text says in the first of these languages that it has. */
export function textIn(texts: Texts, languages: readonly string[]): string {
  const language = languages.find((candidate) => Object.hasOwn(texts, candidate));
  return (language && texts[language]) ?? "";
}

const PREFIX = "LOCALE_";
const LANGUAGES = wordsOf(enumDescriptor("assistant.common.v1.Locale"));
