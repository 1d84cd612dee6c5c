import type { Role as RoleWord } from "@assistant/kit/caller/caller.js";
import type { Locale } from "@assistant/proto/assistant/common/v1/text.js";
import type { Role, Status } from "@assistant/proto/assistant/identity/v1/roles.js";
import type { Language } from "./store/orgs.js";
import type { Status as StatusWord } from "./store/users.js";

export function presentRole(word: RoleWord): Role {
  return ROLES[word];
}

/** Undefined: none given. */
export function readRole(role: Role | undefined): RoleWord | undefined {
  return wordFor(ROLES, role);
}

export function presentStatus(word: StatusWord): Status {
  return STATUSES[word];
}

/** Undefined: none given. */
export function readStatus(status: Status | undefined): StatusWord | undefined {
  return wordFor(STATUSES, status);
}

export function presentLanguage(word: Language): Locale {
  return LOCALES[word];
}

/** Undefined: none given. */
export function readLanguage(locale: Locale | undefined): Language | undefined {
  return wordFor(LOCALES, locale);
}

const ROLES: Readonly<Record<RoleWord, Role>> = { admin: "ROLE_ADMIN", editor: "ROLE_EDITOR", member: "ROLE_MEMBER" };

const STATUSES: Readonly<Record<StatusWord, Status>> = { active: "STATUS_ACTIVE", disabled: "STATUS_DISABLED" };

const LOCALES: Readonly<Record<Language, Locale>> = {
  de: "LOCALE_DE",
  en: "LOCALE_EN",
  es: "LOCALE_ES",
  fr: "LOCALE_FR",
  it: "LOCALE_IT",
  nl: "LOCALE_NL",
  pl: "LOCALE_PL",
  pt: "LOCALE_PT",
  sv: "LOCALE_SV",
};

function wordFor<Word extends string, Value>(values: Readonly<Record<Word, Value>>, value: Value | undefined) {
  // The tables above have exactly the keys of their types.
  const words = Object.keys(values) as Word[];
  return words.find((word) => values[word] === value);
}
