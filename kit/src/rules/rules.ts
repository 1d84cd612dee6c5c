import type { FieldRules } from "@assistant/proto/assistant/common/v1/rules.js";
import type { DescField, DescMessage, FileRegistry } from "@bufbuild/protobuf";
import { type CrossCheck, exactlyOneCheck, onlyWithCheck, type Variant, variantOf } from "./cross-rules.js";
import { messageDescriptor, messageRulesOf, platformRegistry, rulesOf } from "./descriptor.js";
import { type Fields, presenceOf } from "./presence.js";
import { type Check, createValueCheck, type Later } from "./value-rules.js";
import { fieldRequired, tooFew, VIOLATIONS_MAX, type Violation } from "./violation.js";

/** Finds what is wrong with a message in the order of its fields: the first failure of each value, at most 32. */
export type Checker = (message: unknown) => Violation[];

/**
 * Compiles the rules of a message, and of those inside it, into closures over the objects of the generated code: fields
 * by their proto names, enums by the names of their values, absent ones undefined.
 */
export function createChecker(message: string | DescMessage, registry: FileRegistry = platformRegistry()): Checker {
  const described = typeof message === "string" ? messageDescriptor(message, registry) : message;
  const check = createCompiler(registry)(described);
  return (value) => {
    const found: Violation[] = [];
    const later: Later = [];
    check(value, [], found, later);
    if (found.length === 0) {
      for (const run of later) {
        run(found);
      }
    }
    return found.slice(0, VIOLATIONS_MAX);
  };
}

interface FieldCheck {
  readonly name: string;
  readonly check: (message: Fields, path: readonly string[], found: Violation[], later: Later) => void;
}

function createCompiler(registry: FileRegistry): (message: DescMessage) => Check {
  const compiled = new Map<string, Check>();
  const compile = (message: DescMessage): Check => {
    const known = compiled.get(message.typeName);
    if (known !== undefined) {
      return known;
    }
    // A message may hold itself, so what is being compiled is found by its name already; it is whole when it runs.
    const parts: { check?: Check } = {};
    compiled.set(message.typeName, (value, path, found, later) => parts.check?.(value, path, found, later));
    parts.check = messageCheck(message, (field) => fieldCheck(field, registry, compile));
    return parts.check;
  };
  return compile;
}

function messageCheck(message: DescMessage, compileField: (field: DescField) => FieldCheck): Check {
  const { discriminator, exactly_one } = messageRulesOf(message);
  const variant = discriminator === "" ? undefined : variantOf(message, discriminator);
  const fields = message.fields.filter(({ name }) => name !== discriminator).map(compileField);
  const pairs = message.fields.flatMap((field) => onlyWithCheck(message, field) ?? []);
  const exactlyOnes = exactly_one.map((rule) => exactlyOneCheck(message, rule));

  return (value, path, found, later) => {
    // The generated code decodes every message into an object of its fields.
    const record = value as Fields;
    const inside = enter(variant, record, path, found);
    if (inside === undefined) {
      return;
    }
    const own: Violation[] = [];
    const right = new Set([discriminator]);
    for (const field of fields) {
      if (own.length < VIOLATIONS_MAX && isRight(own, () => field.check(record, inside, own, later))) {
        right.add(field.name);
      }
    }
    runPairs(pairs, right, record, inside, own);
    for (const check of exactlyOnes) {
      later.push((all) => check(record, inside, all));
    }
    found.push(...own);
  };
}

// Of one of several variants the word stands in the path of its fields; without it nothing else can be said.
function enter(variant: Variant | undefined, message: Fields, path: readonly string[], found: Violation[]) {
  return variant === undefined ? path : variant(message, path, found);
}

function isRight(found: readonly Violation[], check: () => void): boolean {
  const before = found.length;
  check();
  return found.length === before;
}

// A rule about two fields runs once both are right by themselves; what it finds stands where its field stands.
function runPairs(
  pairs: readonly CrossCheck[],
  right: ReadonlySet<string>,
  message: Fields,
  path: readonly string[],
  found: Violation[],
): void {
  for (const pair of pairs) {
    const areRight = pair.fields.every((name) => right.has(name));
    if (areRight && !isRight(found, () => pair.check(message, path, found))) {
      const place = (violation: Violation) => pair.order.indexOf(violation.path[path.length] ?? "");
      found.sort((one, other) => place(one) - place(other));
    }
  }
}

function fieldCheck(field: DescField, registry: FileRegistry, compile: (message: DescMessage) => Check): FieldCheck {
  const { name } = field;
  const rules = rulesOf(field);
  const presence = presenceOf(field);
  const check = createValueCheck(field, rules, registry, compile);
  // The only field of a transparent message is that message in JSON, so its name stands in no path.
  const step = messageRulesOf(field.parent).transparent ? [] : [name];
  return {
    name,
    check: (message, path, found, later) => {
      const value = presence.read(message);
      const inside = [...path, ...step];
      if (presence.isGiven(value)) {
        check(value, inside, found, later);
      } else if (rules.required) {
        found.push(...absent(field, rules, inside));
      }
    },
  };
}

// On the wire a list that was left out is an empty one, so only one that must have elements can be missed.
function absent(field: DescField, rules: FieldRules, path: readonly string[]): Violation[] {
  if (field.fieldKind !== "list" && field.fieldKind !== "map") {
    return [fieldRequired(path)];
  }
  const leastLength = rules.min_length ?? 0;
  return leastLength > 0 ? [tooFew(path, field.fieldKind === "list" ? "List" : "Dictionary", leastLength, 0)] : [];
}
