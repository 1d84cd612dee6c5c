import type { EventHandler } from "@assistant/kit/events/inbox.js";
import { removeGroup } from "./deleted-groups.js";
import { hideUseCase, removeUseCase, showUseCase } from "./use-case-events.js";

/** What contexts does when something happened elsewhere, by the type of event. */
export const eventHandlers: Readonly<Record<string, EventHandler>> = {
  "identity.group.deleted": removeGroup,
  "catalog.use_case.created": showUseCase,
  "catalog.use_case.restored": showUseCase,
  "catalog.use_case.deleted": hideUseCase,
  "catalog.use_case.purged": removeUseCase,
};
