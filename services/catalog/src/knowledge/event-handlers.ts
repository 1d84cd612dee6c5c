import type { DomainEvent } from "@assistant/kit/events/event.js";
import type { EventHandler } from "@assistant/kit/events/inbox.js";
import { removeDeparted } from "../store/knowledge-grants.js";
import { noteKnowledgeItem } from "../store/knowledge-items.js";

/** What knowledge makes of what happened elsewhere, by the type of event. */
export const knowledgeEvents: Readonly<Record<string, EventHandler>> = {
  "identity.group.deleted": (event, tx) => removeDeparted(tx, departed(event, event.subject)),
  "identity.service_account.deleted": (event, tx) => removeDeparted(tx, departed(event, event.subject)),
  "identity.org_member.deleted": (event, tx) => removeDeparted(tx, departed(event, textOf(event, "user_id"))),
  "sync.item.upserted": (event, tx) => noteKnowledgeItem(tx, itemOf(event, true)),
  "sync.item.deleted": (event, tx) => noteKnowledgeItem(tx, itemOf(event, false)),
};

function departed({ orgId, sequence }: DomainEvent, principalId: string) {
  return { orgId, principalId, version: sequence };
}

function itemOf(event: DomainEvent, isPresent: boolean) {
  const { orgId, sequence, subject: itemId } = event;
  return { orgId, sourceId: textOf(event, "knowledge_source_id"), itemId, sequence, isPresent };
}

function textOf({ type, data }: DomainEvent, name: string): string {
  const value = data[name];
  if (typeof value !== "string") {
    throw new Error(`${type} has no ${name}`);
  }
  return value;
}
