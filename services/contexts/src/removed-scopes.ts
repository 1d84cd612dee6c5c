import type { Tx } from "@assistant/kit/database/postgres.js";
import {
  lockScopeCategories,
  removeSomeCategories,
  removeSomeContexts,
  type ScopeKey,
} from "./store/scope-contents.js";
import { closeScope } from "./store/scopes.js";

/**
 * Removes what is in a scope, and lets nothing be created in it again. `handOver` deals with what others keep in its
 * categories, which cannot go while they hold anything.
 */
export async function removeScope(
  tx: Tx,
  scope: ScopeKey,
  handOver: () => Promise<void> = async () => undefined,
): Promise<void> {
  await closeScope(tx, scope.orgId, scope.scopeId);
  await lockScopeCategories(tx, scope);
  await repeat(() => removeSomeContexts(tx, scope, BATCH));
  await handOver();
  await repeat(() => removeSomeCategories(tx, scope, BATCH));
}

const BATCH = 500;

async function repeat(removeSome: () => Promise<number>): Promise<void> {
  // Somebody else may remove a few of a batch: only an empty one is the last.
  while ((await removeSome()) > 0) {}
}
