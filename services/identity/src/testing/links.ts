import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Keyring } from "@assistant/kit/database/seal.js";
import type { DomainEvent } from "@assistant/kit/events/event.js";
import { newId } from "@assistant/kit/process/id.js";
import { newTraceparent } from "@assistant/kit/wire/trace.js";
import { LinksServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/links_service.js";
import type {
  CreateMagicLinkRequest,
  CreateQrLinkRequest,
} from "@assistant/proto/assistant/identity/v1/magic_links.js";
import { IdentityServiceService } from "@assistant/proto/assistant/identity/v1/service.js";
import { eventHandlers } from "../event-handlers.js";
import type { ConsumptionParts } from "../links/consumption.js";
import { signingKeys } from "../signing-keys.js";
import { type Person, present } from "./people.js";
import type { Platform } from "./platform.js";

export async function newAccount(admin: Person, name = "Robot"): Promise<string> {
  return present((await admin.ask(IdentityServiceService.createServiceAccount, { name })).service_account).id;
}

/** A link of an account; of a new one unless it is named. */
export async function newLink(admin: Person, wish: CreateMagicLinkRequest = {}) {
  const service_account_id = wish.service_account_id ?? (await newAccount(admin));
  const { magic_link } = await admin.ask(rpcs.createMagicLink, { ...wish, service_account_id });
  return { ...present(magic_link), service_account_id };
}

/** A link to a use case; to a new one unless it is named. */
export async function newQrLink(platform: Platform, admin: Person, wish: CreateQrLinkRequest = {}) {
  const use_case_id = wish.use_case_id ?? platform.catalog.addUseCase(admin.orgId);
  const { magic_link } = await admin.ask(rpcs.createQrLink, { ...wish, use_case_id });
  return { ...present(magic_link), use_case_id };
}

/** Signs in with the token of a link as a program would. */
export function consume(platform: Platform, token: string, scope?: string) {
  const request = { grant_type: "urn:assistant:grant-type:magic-link", token, scope };
  return platform.bearer("").ask(IdentityServiceService.issueToken, request);
}

/** What it takes to sign in with links, as another replica has it. */
export function replicaOf(platform: Platform, { keyring, db }: { keyring?: Keyring; db?: Postgres } = {}) {
  const { clock, issuer, audience } = platform;
  const own = { db: db ?? platform.db, keyring: keyring ?? platform.keyring };
  const relay = { wake: () => undefined };
  const parts: ConsumptionParts = {
    ...own,
    clock,
    issuer,
    audience,
    relay,
    signingKeys: signingKeys({ ...own, clock }),
  };
  return parts;
}

/** Somebody who shows a token. */
export function holder() {
  const client = { address: "203.0.113.7", userAgent: "Test/1.0" };
  return { client, requestId: newId("req"), traceparent: newTraceparent() };
}

/** The events of a type about a subject, the oldest first. */
export async function eventsOf(platform: Platform, type: string, subject: string) {
  const text = "select data, actor_id from outbox where type = $1 and subject = $2 order by pos";
  return platform.db.query<{ data: Record<string, unknown>; actor_id: string }>("events_of", text, [type, subject]);
}

/** Lets identity hear that a use case was deleted, at its version. */
export async function tellDeleted(platform: Platform, orgId: string, useCaseId: string, sequence = 2): Promise<void> {
  const origin = { actorId: "identity", requestId: newId("req"), traceparent: newTraceparent() };
  const about = { type: "catalog.use_case.deleted", subject: useCaseId, orgId, sequence, data: {}, time: new Date() };
  const event: DomainEvent = { ...origin, ...about, id: newId("evt") };
  await platform.db.transaction(origin, (tx) => present(eventHandlers(platform.clock)[event.type])(event, tx));
}
