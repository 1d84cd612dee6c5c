import type { Request } from "express";
import type { FailureReason } from "./failure.js";
import { de } from "./texts/de.js";
import { en } from "./texts/en.js";
import { es } from "./texts/es.js";
import { fr } from "./texts/fr.js";
import { it } from "./texts/it.js";
import { nl } from "./texts/nl.js";
import { pl } from "./texts/pl.js";
import { pt } from "./texts/pt.js";
import { sv } from "./texts/sv.js";

/** The languages of the platform. */
export type Locale = "de" | "en" | "es" | "fr" | "it" | "nl" | "pl" | "pt" | "sv";

/** What the pages say, in one language. */
export interface Texts {
  readonly login: {
    readonly title: string;
    readonly intro: string;
    continueWith(name: string): string;
    readonly or: string;
    readonly email: string;
    readonly next: string;
    readonly unknownEmail: string;
  };
  readonly magicLink: {
    readonly title: string;
    readonly intro: string;
    readonly token: string;
    readonly next: string;
    readonly needsPart: string;
    readonly reading: string;
  };
  readonly magicConfirm: {
    readonly title: string;
    readonly asServiceAccount: string;
    readonly asGuest: string;
    readonly isSignedIn: string;
    isSignedInAs(name: string): string;
    readonly lastUse: string;
    usesLeft(count: string): string;
    readonly signIn: string;
    readonly cancel: string;
  };
  readonly leaving: { readonly title: string; readonly intro: string; readonly next: string };
  readonly signedOut: { readonly title: string; readonly intro: string; readonly again: string };
  readonly home: {
    readonly title: string;
    readonly looking: string;
    readonly isSignedIn: string;
    readonly isSignedInAs: string;
    readonly isSignedOut: string;
    readonly isUnknown: string;
    readonly needsScript: string;
    readonly signIn: string;
    readonly signOut: string;
    readonly reference: string;
  };
  readonly failures: Readonly<Record<FailureReason, { readonly title: string; readonly text: string }>>;
  readonly toHome: string;
  readonly requestId: string;
}

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
