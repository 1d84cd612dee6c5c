import type { Tx } from "@assistant/kit/database/postgres.js";
import type { DomainEvent } from "@assistant/kit/events/event.js";
import { noteDeletedUseCase } from "../store/use-case-guests.js";
import { closeQrLinks } from "./qr-links.js";

/** A use case is gone: so are its links and its guests, for good, also should it be restored. */
export function closedUseCase(clock: () => number): (event: DomainEvent, tx: Tx) => Promise<void> {
  return async ({ orgId, subject, sequence }, tx) => {
    await noteDeletedUseCase(tx, orgId, subject, sequence);
    await closeQrLinks(tx, orgId, subject, clock());
  };
}
