/** One thing that is wrong with a request: where, which rule, in words, and the numbers or words of the rule. */
export interface Violation {
  /** Names and indexes from the request message to the value; empty: the request as a whole; first `header`: a header. */
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

export function notOneOf(path: readonly string[], words: readonly string[]): Violation {
  const expected = alternatives(words);
  return violation(path, "enum", `Input should be ${expected}`, { expected });
}

export type Collection = "List" | "Dictionary";

export function tooFew(path: readonly string[], fieldType: Collection, minLength: number, actualLength: number): Violation {
  const text = `${fieldType} should have at least ${count(minLength, "item")} after validation, not ${actualLength}`;
  return violation(path, "too_short", text, { field_type: fieldType, min_length: minLength, actual_length: actualLength });
}

export function tooMany(path: readonly string[], fieldType: Collection, maxLength: number, actualLength: number): Violation {
  const text = `${fieldType} should have at most ${count(maxLength, "item")} after validation, not ${actualLength}`;
  return violation(path, "too_long", text, { field_type: fieldType, max_length: maxLength, actual_length: actualLength });
}

/** `'a', 'b' or 'c'`. */
export function alternatives(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

function count(limit: number, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? "" : "s"}`;
}
