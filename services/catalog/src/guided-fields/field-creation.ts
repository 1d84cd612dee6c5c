import { isDeepStrictEqual } from "node:util";
import type { Tx } from "@assistant/kit/database/postgres.js";
import type { Write } from "@assistant/kit/database/write.js";
import { newId } from "@assistant/kit/process/id.js";
import { conflict } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { NewGuidedSearchField } from "@assistant/proto/assistant/catalog/v1/guided_fields.js";
import { attachField, findFieldIds, ownersOf } from "../store/guided-field-attachments.js";
import {
  type FieldContent,
  type FieldKey,
  type FieldRow,
  insertField,
  lockField,
  type Owner,
} from "../store/guided-fields.js";
import { BODY, contentOf, newContent } from "./field-content.js";
import { type Asked, answer, everyWritable, type FieldAnswer, untaken } from "./fields.js";
import { holdWritable, noteChange } from "./owners.js";

interface Creation {
  guided_search_field?: NewGuidedSearchField | undefined;
}

export function createField<Q extends Creation>(write: Write, asked: Asked<Q, FieldAnswer>): Promise<FieldAnswer> {
  const { rpc, request, call, owner } = asked;
  const field = given(request.guided_search_field);
  const content = newContent(field);
  return write(call, rpc, request, async (tx) => {
    await holdWritable(tx, call.caller, owner);
    if (field.id !== undefined && RESERVED.has(field.id)) {
      throw conflict("id_taken", [BODY, "id"]);
    }
    const key = { orgId: owner.orgId, id: field.id ?? newId("gsf") };
    const known = field.id === undefined ? undefined : await lockField(tx, key);
    return answer(known ? await share(tx, known, asked, content) : await insert(tx, key, asked, content), call);
  });
}

const FIELDS_MAX = 200;
/** Where the path of a field of this id would lead to something else. */
const RESERVED: ReadonlySet<string> = new Set(["order"]);

async function insert(
  tx: Tx,
  key: FieldKey,
  asked: Asked<unknown, FieldAnswer>,
  content: FieldContent,
): Promise<FieldRow> {
  await requireRoom(tx, asked.owner);
  const row = await insertField(tx, asked.owner, key.id, content);
  if (row === "id taken") {
    // Made at the same moment for another owner: it is there to be shared, unless it is gone again.
    const other = await lockField(tx, key);
    return other === undefined ? insert(tx, key, asked, content) : share(tx, other, asked, content);
  }
  const made = untaken(row);
  await noteChange(tx, asked.owner);
  return made;
}

/** A field that is there already, as the client says it is; attached to the owner too if it is not yet. */
async function share(
  tx: Tx,
  row: FieldRow,
  { call, owner }: Asked<unknown, FieldAnswer>,
  content: FieldContent,
): Promise<FieldRow> {
  const owners = await ownersOf(tx, { orgId: row.org_id, id: row.id });
  const isAttached = owners.some((other) => isSame(other, owner));
  // Whoever may not write a field elsewhere must neither share it nor learn what it says.
  const isTheirs = isAttached || (await everyWritable(tx, call, owners));
  if (!isTheirs || !isDeepStrictEqual(content, contentOf(row))) {
    throw conflict("id_taken", [BODY, "id"]);
  }
  if (isAttached) {
    return row;
  }
  await requireRoom(tx, owner);
  const attached = untaken(await attachField(tx, owner, row.id));
  await noteChange(tx, owner);
  return attached;
}

async function requireRoom(tx: Tx, { orgId, kind, id }: Owner): Promise<void> {
  const ids = (await findFieldIds(tx, { orgId, kind }, [id])).get(id) ?? [];
  if (ids.length >= FIELDS_MAX) {
    throw conflict("state");
  }
}

function isSame(one: Owner, other: Owner): boolean {
  return one.kind === other.kind && one.id === other.id;
}
