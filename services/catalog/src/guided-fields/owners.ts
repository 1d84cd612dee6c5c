import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { missing } from "@assistant/kit/wire/fault.js";
import { maintains, writableAsset } from "../knowledge/rights.js";
import { findVisibleAssets } from "../knowledge/visibility.js";
import { readable, writable } from "../rights.js";
import type { Owner, OwnerKind } from "../store/guided-fields.js";
import { findKnowledgeAsset, lockKnowledgeAsset, updateKnowledgeAsset } from "../store/knowledge-assets.js";
import { findUseCase, lockUseCase } from "../store/use-cases.js";

/** Throws unless the caller may read the owner and so its fields. */
export function requireReadable(sql: Sql, caller: Caller, owner: Owner): Promise<void> {
  return RIGHTS[owner.kind].requireReadable(sql, caller, owner);
}

/** Holds the owner until the end of the transaction; throws unless the caller may change its fields. */
export function holdWritable(tx: Tx, caller: Caller, owner: Owner): Promise<void> {
  return RIGHTS[owner.kind].holdWritable(tx, caller, owner);
}

/** Whether the caller may change the fields of an owner of the caller's org, deleted or not. */
export function mayWrite(sql: Sql, caller: Caller, owner: Owner): Promise<boolean> {
  return RIGHTS[owner.kind].mayWrite(sql, caller, owner);
}

/** Notes that an owner that is held has other fields, or them in another order, than before. */
export function noteChange(tx: Tx, owner: Owner): Promise<void> {
  return RIGHTS[owner.kind].noteChange(tx, owner);
}

interface OwnerRights {
  requireReadable(sql: Sql, caller: Caller, owner: Owner): Promise<void>;
  holdWritable(tx: Tx, caller: Caller, owner: Owner): Promise<void>;
  mayWrite(sql: Sql, caller: Caller, owner: Owner): Promise<boolean>;
  noteChange(tx: Tx, owner: Owner): Promise<void>;
}

const ofUseCases: OwnerRights = {
  async requireReadable(sql, caller, owner) {
    readable(await findUseCase(sql, owner), caller);
  },
  async holdWritable(tx, caller, owner) {
    writable(await lockUseCase(tx, owner), caller);
  },
  mayWrite: async (_sql, { role }) => role !== "member",
  // A use case does not show its fields.
  noteChange: async () => undefined,
};

const ofKnowledgeAssets: OwnerRights = {
  async requireReadable(sql, caller, { id }) {
    if ((await findVisibleAssets(sql, caller, [id])).length === 0) {
      throw missing();
    }
  },
  async holdWritable(tx, caller, owner) {
    const row = await lockKnowledgeAsset(tx, owner);
    writableAsset(row, caller, (await findVisibleAssets(tx, caller, [owner.id])).length > 0);
  },
  async mayWrite(sql, caller, owner) {
    const row = await findKnowledgeAsset(sql, owner);
    return row !== undefined && maintains(caller, row);
  },
  // An asset shows the ids of its fields, so it is another version of it.
  async noteChange(tx, owner) {
    const row = await findKnowledgeAsset(tx, owner);
    if (row !== undefined) {
      await updateKnowledgeAsset(tx, owner, row);
    }
  },
};

const RIGHTS: Readonly<Record<OwnerKind, OwnerRights>> = {
  use_case: ofUseCases,
  knowledge_asset: ofKnowledgeAssets,
};
