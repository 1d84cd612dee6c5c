import type { Request } from "express";
import { de } from "./texts/de.js";
import { en } from "./texts/en.js";
import { es } from "./texts/es.js";
import { fr } from "./texts/fr.js";
import { it } from "./texts/it.js";
import { nl } from "./texts/nl.js";
import { pl } from "./texts/pl.js";
import { pt } from "./texts/pt.js";
import type { Texts } from "./texts/shape.js";
import { sv } from "./texts/sv.js";

/** The languages of the platform. */
export type Locale = "de" | "en" | "es" | "fr" | "it" | "nl" | "pl" | "pt" | "sv";

/** The language that the reader prefers among ours. */
export function localeOf(request: Request): Locale {
  // Without a preference the first one counts.
  const found = request.acceptsLanguages(...LOCALES);
  return LOCALES.find((locale) => locale === found) ?? "en";
}

export function textsOf(request: Request): Texts {
  return TEXTS[localeOf(request)];
}

const LOCALES: readonly Locale[] = ["en", "de", "es", "fr", "it", "nl", "pl", "pt", "sv"];

const TEXTS: Readonly<Record<Locale, Texts>> = { de, en, es, fr, it, nl, pl, pt, sv };
