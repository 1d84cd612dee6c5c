import { readFileSync } from "node:fs";

/** What a process takes from its environment: one variable per name. */
export type Spec = Readonly<Record<string, Variable<unknown>>>;

export type Config<S extends Spec> = {
  readonly [name in keyof S]: S[name] extends Variable<infer Value> ? Value : never;
};

/** How one variable is read. */
export interface Variable<Value> {
  /** Throws an Error whose message ends the sentence "NAME ...". */
  parse(text: string): Value;
  /** The value where none is given; without it the variable is mandatory. */
  readonly fallback?: { readonly value: Value };
  /** `NAME_FILE` may name a file that holds the value. */
  readonly secret: boolean;
}

/** Reads the whole environment at once; throws one Error that lists everything wrong with it. Never shows a value. */
export function readConfig<S extends Spec>(spec: S, environment: NodeJS.ProcessEnv): Config<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries(spec)) {
    try {
      values[name] = read(name, variable, environment);
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0) {
    throw new Error(`the configuration is not usable:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
  // Every name of the spec was read by its own variable above, or we would have thrown.
  return Object.freeze(values) as Config<S>;
}

export const variable = {
  text: (fallback?: string) => make(nonEmpty, fallback),
  secret: (fallback?: string) => ({ ...make(nonEmpty, fallback), secret: true }),
  url: (fallback?: string) => make(httpUrl, fallback),
  integer: (bounds: { ge: number; le: number }, fallback?: number) => make((text) => integer(text, bounds), fallback),
  port: (fallback?: number) => make((text) => integer(text, { ge: 0, le: 65_535 }), fallback),
  flag: (fallback?: boolean) => make(flag, fallback),
  list: (fallback?: readonly string[]) => make(list, fallback),
  /** Milliseconds, written as `250ms`, `5s`, `10m`, `2h` or `7d`. */
  durationMs: (fallback?: number) => make(durationMs, fallback),
  oneOf: <const Word extends string>(words: readonly Word[], fallback?: Word) =>
    make((text) => oneOf(text, words), fallback),
  optional: <Value>(inner: Variable<Value>): Variable<Value | undefined> => ({
    parse: (text) => inner.parse(text),
    fallback: { value: undefined },
    secret: inner.secret,
  }),
};

function make<Value>(parse: (text: string) => Value, fallback?: Value): Variable<Value> {
  return fallback === undefined ? { parse, secret: false } : { parse, fallback: { value: fallback }, secret: false };
}

function read(name: string, variable: Variable<unknown>, environment: NodeJS.ProcessEnv): unknown {
  const text = variable.secret ? secretText(name, environment) : given(environment[name]);
  if (text !== undefined) {
    return variable.parse(text);
  }
  if (variable.fallback === undefined) {
    throw new Error(variable.secret ? `or ${name}_FILE must be set` : "must be set");
  }
  return variable.fallback.value;
}

function secretText(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const direct = given(environment[name]);
  const file = given(environment[`${name}_FILE`]);
  if (direct !== undefined && file !== undefined) {
    throw new Error(`and ${name}_FILE must not both be set`);
  }
  return file === undefined ? direct : secretFile(name, file);
}

function secretFile(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new Error(`cannot be read from ${name}_FILE: ${error instanceof Error ? error.message : String(error)}`);
  }
}

// Shells and manifests cannot unset what they inherit; they set it to nothing.
function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

function nonEmpty(text: string): string {
  if (text.trim() === "") {
    throw new Error("must not be blank");
  }
  return text;
}

function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) {
    throw new Error("must be an absolute http or https URL");
  }
  return text.replace(/\/+$/, "");
}

function integer(text: string, { ge, le }: { ge: number; le: number }): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || value < ge || value > le) {
    throw new Error(`must be a whole number from ${ge} to ${le}`);
  }
  return value;
}

function flag(text: string): boolean {
  switch (text.toLowerCase()) {
    case "on":
    case "true":
    case "yes":
    case "1":
      return true;
    case "off":
    case "false":
    case "no":
    case "0":
      return false;
    default:
      throw new Error("must be on or off");
  }
}

function list(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function durationMs(text: string): number {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit ?? ""];
  if (amount === undefined || unitMs === undefined) {
    throw new Error("must be a duration such as 250ms, 5s, 10m, 2h or 7d");
  }
  return Number(amount) * unitMs;
}

function oneOf<Word extends string>(text: string, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) {
    throw new Error(`must be one of ${words.join(", ")}`);
  }
  return word;
}
