import type { EventHandler } from "@assistant/kit/events/inbox.js";
import { closedUseCase } from "./links/deleted-use-cases.js";
import { forgetFavorite } from "./profile/favorites.js";

/** What identity does when something happened elsewhere, by the type of event. */
export function eventHandlers(clock: () => number): Readonly<Record<string, EventHandler>> {
  const closeUseCase = closedUseCase(clock);
  return {
    "catalog.use_case.deleted": async (event, tx) => {
      await closeUseCase(event, tx);
      await forgetFavorite(event, tx);
    },
  };
}
