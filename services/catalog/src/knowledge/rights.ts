import type { Caller } from "@assistant/kit/caller/caller.js";
import { denied, missing } from "@assistant/kit/wire/fault.js";
import type { KnowledgeAssetCategory, KnowledgeAssetRow } from "../store/knowledge-assets.js";

/** Throws unless the caller may manage the knowledge sources of the org and who holds them. */
export function requireAdmin({ role }: Caller): void {
  if (role !== "admin") {
    throw denied();
  }
}

/** Throws unless the caller may create assets of this category: admins all, everybody personal ones. */
export function requireMaintainer({ role }: Caller, category: KnowledgeAssetCategory): void {
  if (category !== "personal" && role !== "admin") {
    throw denied(["category"]);
  }
}

/** The asset, for whoever maintains it; others learn that it exists only where they may see it. */
export function writableAsset(row: KnowledgeAssetRow | undefined, caller: Caller, isSeen: boolean): KnowledgeAssetRow {
  if (row === undefined || row.deleted_at !== null) {
    throw missing();
  }
  if (!maintains(caller, row)) {
    throw isSeen ? denied() : missing();
  }
  return row;
}

/** The asset, deleted or not, for whoever may restore it. */
export function restorableAsset(row: KnowledgeAssetRow | undefined, caller: Caller, isSeen: boolean) {
  const isRestorable = row !== undefined && row.deleted_at !== null && maintains(caller, row);
  return isRestorable ? row : writableAsset(row, caller, isSeen);
}

/** Whether the asset, deleted or not, is the caller's to change. */
export function maintains({ role, principalId }: Caller, { category, created_by }: KnowledgeAssetRow): boolean {
  return category === "personal" ? created_by === principalId : role === "admin";
}
