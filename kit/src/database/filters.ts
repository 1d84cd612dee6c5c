/** Collects the values of a statement whose filters vary; each combination of filters is one prepared statement. */
export interface Filters {
  /** Adds a value and names its place in the text. */
  bind(value: unknown): string;
  /** Marks that a filter is there, for the statement's name. */
  mark(word: string): void;
  readonly values: readonly unknown[];
  readonly name: string;
}

export function filters(name: string): Filters {
  const values: unknown[] = [];
  const words = [name];
  return {
    bind: (value) => `$${values.push(value)}`,
    mark: (word) => void words.push(word),
    values,
    get name() {
      return words.join("_");
    },
  };
}

/**
 * Whether a column contains a text, whatever the case, in any script. Looks for the text itself: nothing in it is a
 * wildcard.
 */
export function contains(column: string, place: string): string {
  return `strpos(lower(${column} collate "und-x-icu"), lower(${place} collate "und-x-icu")) > 0`;
}
