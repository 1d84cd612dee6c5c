import { isDeepStrictEqual } from "node:util";
import type { Postgres, Tx } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, denied, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Rpc } from "@assistant/kit/wire/rpc.js";
import type {
  GuidedSearchField,
  GuidedSearchFieldChange,
} from "@assistant/proto/assistant/catalog/v1/guided_fields.js";
import { detachField, ownersOf } from "../store/guided-field-attachments.js";
import { type FieldRow, findField, lockField, type Owner, removeField, updateField } from "../store/guided-fields.js";
import { BODY, changedContent, contentOf, presentField } from "./field-content.js";
import { holdWritable, mayWrite, noteChange, requireReadable } from "./owners.js";

/** One request about the fields of an owner, whatever the kind of the owner. */
export interface Asked<Request, Answer> {
  rpc: Rpc<Request, Answer>;
  request: Request;
  call: Call;
  owner: Owner;
}

export interface FieldAnswer {
  guided_search_field?: GuidedSearchField | undefined;
}

export interface MessageAnswer {
  message: string;
}

interface Change {
  field_id?: string | undefined;
  guided_search_field?: GuidedSearchFieldChange | undefined;
}

export async function getField(db: Postgres, call: Call, owner: Owner, fieldId: string): Promise<FieldAnswer> {
  await requireReadable(db, call.caller, owner);
  return answer(known(await findField(db, owner, fieldId)), call);
}

export function changeField<Q extends Change>(write: Write, asked: Asked<Q, FieldAnswer>): Promise<FieldAnswer> {
  const { rpc, request, call, owner } = asked;
  return write(call, rpc, request, async (tx) => {
    const row = await holdField(tx, asked, given(request.field_id));
    await requireRightEverywhere(tx, call, row);
    requireMatch(call, row.version);
    const content = changedContent(contentOf(row), given(request.guided_search_field));
    if (isDeepStrictEqual(content, contentOf(row))) {
      return answer(row, call);
    }
    return answer(untaken(await updateField(tx, { orgId: owner.orgId, id: row.id }, content)), call);
  });
}

export function deleteField<Q>(
  write: Write,
  asked: Asked<Q, MessageAnswer>,
  choose: (tx: Tx) => Promise<string>,
): Promise<MessageAnswer> {
  const { rpc, request, call, owner } = asked;
  return write(call, rpc, request, async (tx) => {
    await holdWritable(tx, call.caller, owner);
    const row = await lockAttached(tx, owner, await choose(tx));
    requireMatch(call, row.version);
    const isShared = (await ownersOf(tx, { orgId: row.org_id, id: row.id })).length > 1;
    await (isShared ? detachField : removeField)(tx, owner, row.id);
    await noteChange(tx, owner);
    return { message: isShared ? "Guided search field detached" : "Guided search field deleted" };
  });
}

async function holdField(tx: Tx, { call, owner }: Asked<unknown, unknown>, fieldId: string): Promise<FieldRow> {
  await holdWritable(tx, call.caller, owner);
  return lockAttached(tx, owner, fieldId);
}

async function lockAttached(tx: Tx, owner: Owner, fieldId: string): Promise<FieldRow> {
  const row = await lockField(tx, { orgId: owner.orgId, id: fieldId });
  // Asked again with the field held: until then it may have been detached.
  return known(row && (await findField(tx, owner, fieldId)));
}

async function requireRightEverywhere(tx: Tx, call: Call, row: FieldRow): Promise<void> {
  if (!(await everyWritable(tx, call, await ownersOf(tx, { orgId: row.org_id, id: row.id })))) {
    throw denied();
  }
}

/** Whether the caller may change the fields of all these owners. */
export async function everyWritable(tx: Tx, { caller }: Call, owners: readonly Owner[]): Promise<boolean> {
  for (const owner of owners) {
    if (!(await mayWrite(tx, caller, owner))) {
      return false;
    }
  }
  return true;
}

function known(row: FieldRow | undefined): FieldRow {
  if (row === undefined) {
    throw missing();
  }
  return row;
}

/** The row of a change, unless its name is taken: then nothing of the change may stay. */
export function untaken(row: FieldRow | "name taken"): FieldRow {
  if (row === "name taken") {
    throw conflict("name_taken", [BODY, "name"]);
  }
  return row;
}

export function answer(row: FieldRow, call: Call): FieldAnswer {
  call.reply.version = row.version;
  return { guided_search_field: presentField(row) };
}
