import { valueError } from "@assistant/kit/rules/violation.js";
import { invalid } from "@assistant/kit/wire/fault.js";

/** Throws unless every id of an order is one of the members, and there once. */
export function requireMembers(field: string, ids: readonly string[], members: ReadonlySet<string>): void {
  const violations = ids.flatMap((id, index) => {
    const path = [field, String(index)];
    if (!members.has(id)) return [valueError(path, "Unknown id")];
    return ids.indexOf(id) < index ? [valueError(path, "Repeated id")] : [];
  });
  if (violations.length > 0) {
    throw invalid(...violations);
  }
}
