import type { Caller } from "@assistant/kit/caller/caller.js";
import { denied, missing } from "@assistant/kit/wire/fault.js";

/** What deciding about a use case takes. */
interface Subject {
  id: string;
  deleted_at: Date | null;
}

/** Throws unless the caller may create and change use cases. */
export function requireEditor({ role }: Caller): void {
  if (role === "member") {
    throw denied();
  }
}

/** The use case, for a caller who may read it; nobody else learns that it exists. Guests know their own alone. */
export function readable<Row extends Subject>(row: Row | undefined, { useCaseId }: Caller): Row {
  const isHidden = row === undefined || row.deleted_at !== null || (useCaseId !== undefined && useCaseId !== row.id);
  if (isHidden) {
    throw missing();
  }
  return row;
}

/** The use case, for a caller who may change it. */
export function writable<Row extends Subject>(row: Row | undefined, caller: Caller): Row {
  const visible = readable(row, caller);
  requireEditor(caller);
  return visible;
}

/** The use case, deleted or not, for a caller who may restore it. */
export function restorable<Row extends Subject>(row: Row | undefined, caller: Caller): Row {
  if (row === undefined || row.deleted_at === null || caller.role === "member") {
    return writable(row, caller);
  }
  return row;
}
