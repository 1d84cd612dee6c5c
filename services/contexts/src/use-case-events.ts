import type { Tx } from "@assistant/kit/database/postgres.js";
import type { DomainEvent } from "@assistant/kit/events/event.js";
import { removeScope } from "./removed-scopes.js";
import { noteUseCase } from "./store/use-cases.js";

/** A use case is there, new or again: so is what is in its scope. */
export async function showUseCase(event: DomainEvent, tx: Tx): Promise<void> {
  await note(event, tx, false);
}

/** A use case is deleted and may be restored: what is in its scope is there for nobody until then. */
export async function hideUseCase(event: DomainEvent, tx: Tx): Promise<void> {
  await note(event, tx, true);
}

/** A use case is gone for good: so are its contexts and categories, and nothing is created for it again. */
export async function removeUseCase(event: DomainEvent, tx: Tx): Promise<void> {
  await note(event, tx, true);
  await removeScope(tx, { orgId: event.orgId, scopeId: event.subject });
}

async function note({ orgId, subject: id, sequence: version }: DomainEvent, tx: Tx, isDeleted: boolean): Promise<void> {
  await noteUseCase(tx, { orgId, id, version, isDeleted });
}
