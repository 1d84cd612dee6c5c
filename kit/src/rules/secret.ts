import type { DescMessage } from "@bufbuild/protobuf";
import { methodDescriptor, rulesOf } from "./descriptor.js";

/** Whether an rpc's answer has, at any depth, a field that is never shown again. */
export function answersSecret(path: string): boolean {
  const known = answers.get(path) ?? holdsSecret(methodDescriptor(path).output, new Set());
  answers.set(path, known);
  return known;
}

// What the descriptors say does not change while the process runs.
const answers = new Map<string, boolean>();

function holdsSecret(message: DescMessage, seen: Set<DescMessage>): boolean {
  if (seen.has(message)) {
    return false;
  }
  seen.add(message);
  return message.fields.some((field) => {
    const inner = field.message ?? undefined;
    return rulesOf(field).secret || (inner !== undefined && holdsSecret(inner, seen));
  });
}
