import { getOption, hasOption } from "@bufbuild/protobuf";

/** @typedef {import("@bufbuild/protobuf").FileRegistry} FileRegistry */

/**
 * The rules of a field, undefined where it has none.
 * @param {FileRegistry} registry
 * @param {import("@bufbuild/protobuf").DescField} field
 */
export function rulesOf(registry, field) {
  return optionOf(registry, field, "assistant.common.v1.rules");
}

/**
 * The rules of a message, undefined where it has none.
 * @param {FileRegistry} registry
 * @param {import("@bufbuild/protobuf").DescMessage} message
 */
export function messageRulesOf(registry, message) {
  return optionOf(registry, message, "assistant.common.v1.message_rules");
}

/**
 * The words of an enum as they stand in JSON. The value at 0 says "not given" and is no word.
 * @param {FileRegistry} registry
 * @param {import("@bufbuild/protobuf").DescEnum} type
 * @returns {string[]}
 */
export function wordsOf(registry, type) {
  const prefix = type.sharedPrefix ?? "";
  return type.values
    .filter((value) => value.number !== 0)
    .map((value) => optionOf(registry, value, "assistant.common.v1.word") ?? lowerCase(value.name, prefix));
}

/** @param {FileRegistry} registry @param {any} element @param {string} name @returns {any} */
function optionOf(registry, element, name) {
  const extension = registry.getExtension(name);
  if (extension === undefined) throw new Error(`the descriptor set lacks ${name}`);
  return hasOption(element, extension) ? getOption(element, extension) : undefined;
}

/** @param {string} name @param {string} prefix */
function lowerCase(name, prefix) {
  return (name.toLowerCase().startsWith(prefix) ? name.slice(prefix.length) : name).toLowerCase();
}
