import type { FieldRules } from "@assistant/proto/assistant/common/v1/rules.js";
import type { DescEnum, DescField, DescMessage, FileRegistry, ScalarType } from "@bufbuild/protobuf";
import { enumDescriptor, wordsOf } from "./descriptor.js";
import { enumFailure, type Failure, scalarFailure, stringFailure } from "./scalar-rules.js";
import { cutText, notADateTime, notOneOf, tooFew, tooMany, VIOLATIONS_MAX, type Violation } from "./violation.js";

/** Adds what is wrong with the value at the path; to `later` what can only be said once everything else is right. */
export type Check = (value: unknown, path: readonly string[], found: Violation[], later: Later) => void;

/** Rules about several fields, to run once every value of the request is right by itself. */
export type Later = ((found: Violation[]) => void)[];

type CompileMessage = (message: DescMessage) => Check;

/** The check of a field's value, once it is there. */
export function createValueCheck(
  field: DescField,
  rules: FieldRules,
  registry: FileRegistry,
  compile: CompileMessage,
): Check {
  switch (field.fieldKind) {
    case "list":
      return listCheck(rules, singleCheck(field, rules.items, compile));
    case "map":
      return mapCheck(rules, singleCheck(field, rules.items, compile), registry);
    case "scalar":
    case "enum":
    case "message":
      return singleCheck(field, rules, compile);
  }
}

// The part of a field's description that is about one value: its own, one element of its list, one value of its map.
interface Single {
  readonly scalar?: ScalarType | undefined;
  readonly enum?: DescEnum | undefined;
  readonly message?: DescMessage | undefined;
}

function singleCheck(single: Single, rules: FieldRules | undefined, compile: CompileMessage): Check {
  if (single.message !== undefined) {
    return foreignCheck(single.message) ?? compile(single.message);
  }
  if (single.enum !== undefined) {
    return firstFailure(enumFailure(single.enum));
  }
  return firstFailure(scalarFailure(single.scalar, rules));
}

function firstFailure(failure: Failure): Check {
  return (value, path, found) => {
    const violation = failure(value, path);
    if (violation !== undefined) {
      found.push(violation);
    }
  };
}

// Google's own messages carry no rules of ours, and the generated code turns them into plain values.
function foreignCheck({ typeName }: DescMessage): Check | undefined {
  if (typeName === "google.protobuf.Timestamp") {
    return firstFailure((value, path) =>
      value instanceof Date && Number.isNaN(value.getTime()) ? notADateTime(path) : undefined,
    );
  }
  return typeName.startsWith("google.protobuf.") ? () => {} : undefined;
}

function listCheck(rules: FieldRules, checkItem: Check): Check {
  const { min_length = 0, max_length = Number.POSITIVE_INFINITY } = rules;
  return (value, path, found, later) => {
    // Presence made sure that it is a list.
    const items = value as readonly unknown[];
    if (items.length > max_length) {
      found.push(tooMany(path, "List", max_length, items.length));
      return;
    }
    const before = found.length;
    for (let index = 0; index < items.length && found.length < VIOLATIONS_MAX; index += 1) {
      checkItem(items[index], [...path, String(index)], found, later);
    }
    if (found.length === before && items.length < min_length) {
      found.push(tooFew(path, "List", min_length, items.length));
    }
  };
}

function mapCheck(rules: FieldRules, checkValue: Check, registry: FileRegistry): Check {
  const { min_length = 0, max_length = Number.POSITIVE_INFINITY } = rules;
  const checkKey = keyCheck(rules.keys, registry);
  return (value, path, found, later) => {
    // Presence made sure that it is an object.
    const entries = Object.entries(value as Readonly<Record<string, unknown>>);
    if (entries.length > max_length) {
      found.push(tooMany(path, "Dictionary", max_length, entries.length));
      return;
    }
    const before = found.length;
    for (const [key, item] of entries) {
      if (found.length >= VIOLATIONS_MAX) {
        return;
      }
      const inside = [...path, cutText(key)];
      checkKey(key, [...inside, "[key]"], found, later);
      checkValue(item, inside, found, later);
    }
    if (found.length === before && entries.length < min_length) {
      found.push(tooFew(path, "Dictionary", min_length, entries.length));
    }
  };
}

function keyCheck(enumName: string, registry: FileRegistry): Check {
  if (enumName === "") {
    return firstFailure(stringFailure(undefined));
  }
  const words = wordsOf(enumDescriptor(enumName, registry));
  return firstFailure((key, path) => (words.some((word) => word === key) ? undefined : notOneOf(path, words)));
}
