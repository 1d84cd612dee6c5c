import type { Write } from "@assistant/kit/database/write.js";
import { type Violation, valueError } from "@assistant/kit/rules/violation.js";
import { invalid } from "@assistant/kit/wire/fault.js";
import { findFieldIds, lockFieldsOf, placeFields } from "../store/guided-field-attachments.js";
import type { Asked, MessageAnswer } from "./fields.js";
import { holdWritable, noteChange } from "./owners.js";

const FIELD = "guided_search_field_ids";

/** Puts the fields of an owner in the order of the ids, which must be all of them, each once. */
export function orderFields<Q extends { [FIELD]: string[] }>(
  write: Write,
  { rpc, request, call, owner }: Asked<Q, MessageAnswer>,
): Promise<MessageAnswer> {
  const ids = request[FIELD];
  return write(call, rpc, request, async (tx) => {
    await holdWritable(tx, call.caller, owner);
    await lockFieldsOf(tx, owner);
    const attached = (await findFieldIds(tx, owner, [owner.id])).get(owner.id) ?? [];
    requireAll(ids, new Set(attached));
    if (ids.some((id, index) => id !== attached[index])) {
      await placeFields(tx, owner, ids);
      await noteChange(tx, owner);
    }
    return { message: "Guided search fields reordered" };
  });
}

function requireAll(ids: readonly string[], attached: ReadonlySet<string>): void {
  const violations = ids.flatMap((id, index): Violation[] => {
    const path = [FIELD, String(index)];
    if (!attached.has(id)) return [valueError(path, "Unknown id")];
    return ids.indexOf(id) < index ? [valueError(path, "Repeated id")] : [];
  });
  if (violations.length === 0 && ids.length < attached.size) {
    violations.push(valueError([FIELD], "Every field must be named"));
  }
  if (violations.length > 0) {
    throw invalid(...violations);
  }
}
