import type { Tx } from "@assistant/kit/database/postgres.js";
import type { DomainEvent } from "@assistant/kit/events/event.js";
import { newId } from "@assistant/kit/process/id.js";
import { removeScope } from "./removed-scopes.js";
import { insertCategory } from "./store/context-categories.js";
import { adoptContexts, listGuests, type ScopeKey } from "./store/scope-contents.js";

/**
 * A group is gone: so are its contexts and categories, and nothing is created for it again. What users keep in them
 * stays theirs.
 */
export async function removeGroup(event: DomainEvent, tx: Tx): Promise<void> {
  const scope = { orgId: event.orgId, scopeId: event.subject };
  await removeScope(tx, scope, () => handOver(tx, scope, event.actorId));
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
