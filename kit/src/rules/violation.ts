/** One thing that is wrong with a request: where, which rule, in words, and the numbers or words of the rule. */
export interface Violation {
  /** Names and indexes from the request message to the value; empty: the request; first `header`: a header. */
  readonly path: readonly string[];
  readonly type: string;
  readonly message: string;
  readonly context: Readonly<Record<string, unknown>>;
}

export function violation(
  path: readonly string[],
  type: string,
  message: string,
  context: Readonly<Record<string, unknown>> = {},
): Violation {
  return { path, type, message, context };
}

/** A client is told this many at most; nobody looks for more. */
export const VIOLATIONS_MAX = 32;

/** A rule that needs data or several fields, in words of its own. */
export function valueError(path: readonly string[], text: string): Violation {
  return violation(path, "value_error", `Value error, ${text}`, { error: {} });
}

/** An id in a field that names nothing the caller may know of. */
export function unknownId(field: string): Violation {
  return valueError([field], `Unknown ${field}`);
}

export function fieldRequired(path: readonly string[]): Violation {
  return violation(path, "missing", "Field required");
}

/** Something that has no fields stands where a message is due. */
export function notAnObject(path: readonly string[]): Violation {
  const text = "Input should be a valid dictionary or object to extract fields from";
  return violation(path, "model_attributes_type", text);
}

/** Something else stands where a map or an object of any JSON is due. */
export function notADictionary(path: readonly string[]): Violation {
  return violation(path, "dict_type", "Input should be a valid dictionary");
}

/** A string that holds half of a surrogate pair. */
export function notUnicode(path: readonly string[]): Violation {
  const text = "Input should be a valid string, unable to parse raw data as a unicode string";
  return violation(path, "string_unicode", text);
}

export function tooShort(path: readonly string[], minLength: number): Violation {
  const text = `String should have at least ${count(minLength, "character")}`;
  return violation(path, "string_too_short", text, { min_length: minLength });
}

export function tooLong(path: readonly string[], maxLength: number): Violation {
  const text = `String should have at most ${count(maxLength, "character")}`;
  return violation(path, "string_too_long", text, { max_length: maxLength });
}

export function patternMismatch(path: readonly string[], pattern: string): Violation {
  return violation(path, "string_pattern_mismatch", `String should match pattern '${pattern}'`, { pattern });
}

export function nullCharacter(path: readonly string[]): Violation {
  return valueError(path, "Null characters are not allowed");
}

export function belowLeast(path: readonly string[], ge: number): Violation {
  return violation(path, "greater_than_equal", `Input should be greater than or equal to ${ge}`, { ge });
}

export function aboveMost(path: readonly string[], le: number): Violation {
  return violation(path, "less_than_equal", `Input should be less than or equal to ${le}`, { le });
}

export function notFinite(path: readonly string[]): Violation {
  return violation(path, "finite_number", "Input should be a finite number");
}

export function notADateTime(path: readonly string[]): Violation {
  const error = "not an RFC 3339 date-time";
  return violation(path, "datetime_parsing", `Input should be a valid datetime, ${error}`, { error });
}

export function notAUrl(path: readonly string[]): Violation {
  const error = "not an absolute URL";
  return violation(path, "url_parsing", `Input should be a valid URL, ${error}`, { error });
}

export function notAnHttpUrl(path: readonly string[]): Violation {
  const expected = alternatives(["http", "https"]);
  return violation(path, "url_scheme", `URL scheme should be ${expected}`, { expected_schemes: expected });
}

/** The field that names the variant is missing. */
export function tagNotFound(path: readonly string[], discriminator: string): Violation {
  const quoted = `'${discriminator}'`;
  const text = `Unable to extract tag using discriminator ${quoted}`;
  return violation(path, "union_tag_not_found", text, { discriminator: quoted });
}

/** The field that names the variant names none that there is. */
export function tagInvalid(
  path: readonly string[],
  discriminator: string,
  tag: string,
  words: readonly string[],
): Violation {
  const quoted = `'${discriminator}'`;
  const expected = words.map((word) => `'${word}'`).join(", ");
  const text = `Input tag '${tag}' found using ${quoted} does not match any of the expected tags: ${expected}`;
  return violation(path, "union_tag_invalid", text, { discriminator: quoted, tag, expected_tags: expected });
}

export function notOneOf(path: readonly string[], words: readonly string[]): Violation {
  const expected = alternatives(words);
  return violation(path, "enum", `Input should be ${expected}`, { expected });
}

export type Collection = "List" | "Dictionary";

export function tooFew(
  path: readonly string[],
  fieldType: Collection,
  minLength: number,
  actualLength: number,
): Violation {
  const text = `${fieldType} should have at least ${count(minLength, "item")} after validation, not ${actualLength}`;
  return violation(path, "too_short", text, {
    field_type: fieldType,
    min_length: minLength,
    actual_length: actualLength,
  });
}

export function tooMany(
  path: readonly string[],
  fieldType: Collection,
  maxLength: number,
  actualLength: number,
): Violation {
  const text = `${fieldType} should have at most ${count(maxLength, "item")} after validation, not ${actualLength}`;
  return violation(path, "too_long", text, {
    field_type: fieldType,
    max_length: maxLength,
    actual_length: actualLength,
  });
}

/** A text that is repeated to a client: over 1,024 bytes its whole characters within, and `…`. */
export function cutText(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= REPEATED_MAX_BYTES) {
    return text;
  }
  let end = REPEATED_MAX_BYTES;
  // A byte 10xxxxxx goes on with a character that began before.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) {
    end -= 1;
  }
  return `${bytes.toString("utf8", 0, end)}…`;
}

/** `'a', 'b' or 'c'`. */
export function alternatives(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

const REPEATED_MAX_BYTES = 1_024;

function count(limit: number, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? "" : "s"}`;
}
