/** Where a text stops being JSON and why: `offset` counts code points from 0. */
export interface JsonFailure {
  readonly offset: number;
  readonly reason: string;
}

/** Says what is wrong with a text that `JSON.parse` has refused. Uses no recursion, however deep the text nests. */
export function jsonFailure(text: string): JsonFailure {
  const open: ("]" | "}")[] = [];
  let expected: Expected = "value";
  for (let at = 0; ; ) {
    const token = tokenAt(text, at);
    const next = accept(token, expected, open);
    if (typeof next !== "string") return { offset: codePoints(text, next.at), reason: next.reason };
    expected = next;
    at = token.end;
  }
}

type Expected = "value" | "name" | "colon" | "comma" | "nothing" | "value or ]" | "name or }";

interface Token {
  readonly kind: "[" | "]" | "{" | "}" | ":" | "," | "string" | "word" | "other";
  readonly at: number;
  readonly end: number;
  /** What is wrong inside of it. */
  readonly failed?: Failed;
}

interface Failed {
  readonly at: number;
  readonly reason: string;
}

function accept(token: Token, expected: Expected, open: ("]" | "}")[]): Expected | Failed {
  switch (expected) {
    case "value or ]":
      return token.kind === "]" ? close(open) : acceptValue(token, open);
    case "value":
      return acceptValue(token, open);
    case "name or }":
      return token.kind === "}" ? close(open) : acceptName(token);
    case "name":
      return acceptName(token);
    case "colon":
      return token.kind === ":" ? "value" : wrong(token, "Expecting ':' delimiter");
    case "comma":
      if (token.kind === open.at(-1)) return close(open);
      if (token.kind !== ",") return wrong(token, "Expecting ',' delimiter");
      return open.at(-1) === "]" ? "value" : "name";
    case "nothing":
      return wrong(token, "Extra data");
  }
}

function acceptValue(token: Token, open: ("]" | "}")[]): Expected | Failed {
  if (token.kind === "string" || token.kind === "word") return token.failed ?? afterValue(open);
  if (token.kind === "[") {
    open.push("]");
    return "value or ]";
  }
  if (token.kind === "{") {
    open.push("}");
    return "name or }";
  }
  return wrong(token, "Expecting value");
}

function acceptName(token: Token): Expected | Failed {
  if (token.kind === "string") return token.failed ?? "colon";
  return wrong(token, "Expecting property name enclosed in double quotes");
}

function close(open: ("]" | "}")[]): Expected {
  open.pop();
  return afterValue(open);
}

function afterValue(open: readonly ("]" | "}")[]): Expected {
  return open.length === 0 ? "nothing" : "comma";
}

function wrong(token: Token, reason: string): Failed {
  return { at: token.at, reason };
}

const BLANKS = /[ \t\n\r]*/y;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// From the blank on, less quote and backslash.
const TEXT = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*/y;

function tokenAt(text: string, from: number): Token {
  const at = endOf(BLANKS, text, from);
  const char = text.charAt(at);
  switch (char) {
    case "[":
    case "]":
    case "{":
    case "}":
    case ":":
    case ",":
      return { kind: char, at, end: at + 1 };
    case '"':
      return stringAt(text, at);
    default: {
      const end = endOf(WORD, text, at);
      return { kind: end > at ? "word" : "other", at, end };
    }
  }
}

function stringAt(text: string, at: number): Token {
  const end = endOf(TEXT, text, at + 1);
  const token = { kind: "string" as const, at, end: end + 1 };
  const [char, next] = [text.charAt(end), text.charAt(end + 1)];
  if (char === '"') return token;
  if (char === "" || (char === "\\" && next === "")) {
    return { ...token, failed: { at, reason: "Unterminated string starting at" } };
  }
  if (char !== "\\") return { ...token, failed: { at: end, reason: "Invalid control character at" } };
  return next === "u"
    ? { ...token, failed: { at: end + 1, reason: "Invalid \\uXXXX escape" } }
    : { ...token, failed: { at: end, reason: "Invalid \\escape" } };
}

/** Where a sticky expression stops matching. */
function endOf(expression: RegExp, text: string, from: number): number {
  expression.lastIndex = from;
  return expression.test(text) ? expression.lastIndex : from;
}

function codePoints(text: string, end: number): number {
  let count = 0;
  for (const _ of text.slice(0, end)) count += 1;
  return count;
}
