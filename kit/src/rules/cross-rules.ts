import type { ExactlyOne } from "@assistant/proto/assistant/common/v1/rules.js";
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { rulesOf, wordOf, wordsOf } from "./descriptor.js";
import { type Fields, presenceOf } from "./presence.js";
import { fieldRequired, tagInvalid, tagNotFound, type Violation, valueError } from "./violation.js";

/** A rule about several fields of a message. */
export interface CrossCheck {
  /** The fields that must be right by themselves first. */
  readonly fields: readonly string[];
  /** All fields of the message as declared. */
  readonly order: readonly string[];
  check(message: Fields, path: readonly string[], found: Violation[]): void;
}

/** The path of a variant's fields, which holds its word; undefined where the message does not say which it is. */
export type Variant = (message: Fields, path: readonly string[], found: Violation[]) => readonly string[] | undefined;

export function variantOf(message: DescMessage, discriminator: string): Variant {
  const field = fieldNamed(message, discriminator);
  const words = wordsByName(field);
  const presence = presenceOf(field);
  return (value, path, found) => {
    const name = presence.read(value);
    const word = words.get(name);
    if (word !== undefined) {
      return [...path, word];
    }
    const isGiven = presence.isGiven(name);
    found.push(
      isGiven ? tagInvalid(path, discriminator, String(name), [...words.values()]) : tagNotFound(path, discriminator),
    );
    return undefined;
  };
}

/** Of these fields exactly one is given, or one of those that may stand for them. */
export function exactlyOneCheck(message: DescMessage, rule: ExactlyOne): CrossCheck["check"] {
  const countGiven = (names: readonly string[]) => {
    const presences = names.map((name) => presenceOf(fieldNamed(message, name)));
    return (value: Fields) => presences.filter((presence) => presence.isGiven(presence.read(value))).length;
  };
  const fields = countGiven(rule.fields);
  const others = countGiven(rule.or);
  return (value, path, found) => {
    const given = fields(value);
    if (given > 1 || (given === 0 && others(value) === 0)) {
      found.push(valueError(path, rule.text));
    }
  };
}

/** A field that goes only with certain words of another: there it must be, and nowhere else. */
export function onlyWithCheck(message: DescMessage, field: DescField): CrossCheck | undefined {
  const rule = rulesOf(field).only_with;
  if (rule === undefined) {
    return undefined;
  }
  const decider = fieldNamed(message, rule.field);
  const words = wordsByName(decider);
  const deciding = presenceOf(decider);
  const tied = presenceOf(field);
  return {
    fields: [field.name, rule.field],
    order: message.fields.map(({ name }) => name),
    check: (value, path, found) => {
      const word = words.get(deciding.read(value));
      const isDue = word !== undefined && rule.words.includes(word);
      const isGiven = tied.isGiven(tied.read(value));
      if (isDue && !isGiven) {
        found.push(fieldRequired([...path, field.name]));
      } else if (!isDue && isGiven) {
        found.push(valueError([...path, field.name], rule.text));
      }
    },
  };
}

function fieldNamed(message: DescMessage, name: string): DescField {
  const field = message.fields.find((candidate) => candidate.name === name);
  if (field === undefined) {
    throw new Error(`a rule of ${message.typeName} names the field ${name}, which it has not`);
  }
  return field;
}

function wordsByName(field: DescField): ReadonlyMap<unknown, string> {
  if (field.fieldKind !== "enum") {
    throw new Error(`a rule needs the field ${field.parent.typeName}.${field.name} to be an enum`);
  }
  const words = new Set(wordsOf(field.enum));
  return new Map(
    field.enum.values.map((value) => [value.name, wordOf(value)] as const).filter(([, word]) => words.has(word)),
  );
}
