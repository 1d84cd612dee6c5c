import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { FieldRules, MessageRules, MethodRules } from "@assistant/proto/assistant/common/v1/rules.js";
import {
  createFileRegistry,
  type DescEnum,
  type DescEnumValue,
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescMethod,
  type FileRegistry,
  fromBinary,
  getOption,
  hasOption,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { methodOf, serviceOf } from "../wire/rpc.js";

/** Everything that the platform's proto files describe. Read at the first use. */
export function platformRegistry(): FileRegistry {
  platform ??= readRegistry(platformDescriptor());
  return platform;
}

/** The bytes of the platform's FileDescriptorSet. */
export function platformDescriptor(): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve("@assistant/proto/descriptor.binpb"));
}

export function readRegistry(descriptorSet: Uint8Array): FileRegistry {
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));
}

/** The rpc of a path like `/assistant.contexts.v1.ContextsService/GetContext`. */
export function methodDescriptor(path: string, registry: FileRegistry = platformRegistry()): DescMethod {
  const method = registry.getService(serviceOf(path))?.methods.find(({ name }) => name === methodOf(path));
  if (method === undefined) {
    throw new Error(`no proto file describes the rpc ${path}`);
  }
  return method;
}

export function messageDescriptor(typeName: string, registry: FileRegistry = platformRegistry()): DescMessage {
  const message = registry.getMessage(typeName);
  if (message === undefined) {
    throw new Error(`no proto file describes the message ${typeName}`);
  }
  return message;
}

export function enumDescriptor(typeName: string, registry: FileRegistry = platformRegistry()): DescEnum {
  const found = registry.getEnum(typeName);
  if (found === undefined) {
    throw new Error(`no proto file describes the enum ${typeName}`);
  }
  return found;
}

/** Whether an rpc changes nothing, so that it may be sent again. */
export function isRepeatable(method: DescMethod): boolean {
  return method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

/** The rules of a field; those of a field without any are empty. */
export function rulesOf(field: DescField): FieldRules {
  return FieldRules.decode(optionBytes(field, "assistant.common.v1.rules"));
}

/** The rules of a message; those of a message without any are empty. */
export function messageRulesOf(message: DescMessage): MessageRules {
  return MessageRules.decode(optionBytes(message, "assistant.common.v1.message_rules"));
}

/** The rules of an rpc; those of one without any are empty. */
export function methodRulesOf(method: DescMethod): MethodRules {
  return MethodRules.decode(optionBytes(method, "assistant.common.v1.method_rules"));
}

/** The word that stands for an enum's value in JSON: its own, or its name less the enum's prefix, in lower case. */
export function wordOf(value: DescEnumValue): string {
  const option = extension("assistant.common.v1.word");
  if (hasOption(value, option)) {
    return String(getOption(value, option));
  }
  return value.name.slice(value.parent.sharedPrefix?.length ?? 0).toLowerCase();
}

/** The words of an enum as declared, without its zero value, which means none. */
export function wordsOf(described: DescEnum): string[] {
  return described.values.filter(({ number }) => number !== 0).map(wordOf);
}

let platform: FileRegistry | undefined;

const NO_RULES = new Uint8Array();

// Options are messages of types known only at run time; through their bytes they become the generated types.
function optionBytes(described: DescField | DescMessage | DescMethod, name: string): Uint8Array {
  const option = extension(name);
  if (!hasOption(described, option) || option.message === undefined) {
    return NO_RULES;
  }
  const value = getOption(described, option);
  // The extension's field is a message, so its value is one of that message's type.
  return toBinary(option.message, value as Parameters<typeof toBinary>[1]);
}

// An option is found by its number, so those of the platform's own files also read the options of other descriptors.
function extension(name: string): DescExtension {
  const found = platformRegistry().getExtension(name);
  if (found === undefined) {
    throw new Error(`no proto file describes the option ${name}`);
  }
  return found;
}
