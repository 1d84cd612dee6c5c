import type { Tx } from "@assistant/kit/database/postgres.js";
import type { DomainEvent } from "@assistant/kit/events/event.js";
import { newId } from "@assistant/kit/process/id.js";
import { insertCategory } from "./store/context-categories.js";
import {
  adoptContexts,
  listGuests,
  lockScopeCategories,
  removeSomeCategories,
  removeSomeContexts,
  type ScopeKey,
} from "./store/scope-contents.js";
import { closeScope } from "./store/scopes.js";

/**
 * A group is gone: so are its contexts and categories, and nothing is created for it again. What users keep in them
 * stays theirs.
 */
export async function removeGroup(event: DomainEvent, tx: Tx): Promise<void> {
  const scope = { orgId: event.orgId, scopeId: event.subject };
  await closeScope(tx, scope.orgId, scope.scopeId);
  await lockScopeCategories(tx, scope);
  await repeat(() => removeSomeContexts(tx, scope, BATCH));
  await handOver(tx, scope, event.actorId);
  await repeat(() => removeSomeCategories(tx, scope, BATCH));
}

const BATCH = 500;

async function repeat(removeSome: () => Promise<number>): Promise<void> {
  // Somebody else may remove a few of a batch: only an empty one is the last.
  while ((await removeSome()) > 0) {}
}

/**
 * Users may have put contexts of their own into the group's categories: each gets a category of the same name for them.
 */
async function handOver(tx: Tx, scope: ScopeKey, changedBy: string): Promise<void> {
  for (const guest of await listGuests(tx, scope)) {
    const { orgId } = scope;
    const scopeId = guest.scope_id;
    const category = await insertCategory(tx, {
      id: newId("cat"),
      orgId,
      scopeId,
      name: guest.name,
      createdBy: changedBy,
    });
    if (category === undefined) {
      throw new Error("a scope that holds contexts is closed");
    }
    await adoptContexts(tx, { orgId, scopeId, from: guest.category_id, to: category.id, changedBy });
  }
}
