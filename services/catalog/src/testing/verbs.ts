import { Fault } from "@assistant/kit/wire/fault.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import type {
  CreateUseCaseRequest,
  UpdateUseCaseRequest,
  UseCase,
} from "@assistant/proto/assistant/catalog/v1/use_cases.js";
import type { Beside, Person, Platform } from "./platform.js";

/** A request for a new use case as the gateway sends it, with a label. */
export function creation(about: Partial<CreateUseCaseRequest> = {}): CreateUseCaseRequest {
  return { label: { en: "Contract review" }, description: {}, ...NO_LISTS, ...about };
}

/** A request for a change as the gateway sends it: the mask names what is given. */
export function change(use_case_id: string, about: Partial<UpdateUseCaseRequest>): UpdateUseCaseRequest {
  return { label: {}, description: {}, ...NO_LISTS, use_case_id, update_mask: Object.keys(about), ...about };
}

export async function createUseCase(
  person: Person,
  about: Partial<CreateUseCaseRequest> = {},
  beside: Beside = {},
): Promise<UseCase> {
  const { use_case } = await person.ask(rpcs.createUseCase, creation(about), beside);
  return present(use_case);
}

/** Why a call failed; fails itself if it did not. */
export async function faultOf(call: Promise<unknown>): Promise<Fault> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("the call did not fail");
}

/** Kind of a fault and, in short, what it says is wrong where. */
export async function refusal(call: Promise<unknown>): Promise<{ kind: string; at: string[] }> {
  const { kind, violations } = await faultOf(call);
  return { kind, at: violations.map((violation) => `${violation.path.join(".")}: ${violation.type}`) };
}

/** `done`, or the kind of the fault. */
export function outcome(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "done",
    (error) => String(error.kind),
  );
}

export function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the answer lacks its message");
  return value;
}

export interface EventRow {
  type: string;
  org_id: string;
  sequence: number;
  actor_id: string;
  data: unknown;
}

/** What the outbox holds about a thing. */
export function eventsOf({ db }: Platform, subject: string): Promise<EventRow[]> {
  const text = "select type, org_id, sequence, actor_id, data from outbox where subject = $1 order by pos";
  return db.query("events_of_subject", text, [subject]);
}

const NO_LISTS = { sync_connectors: [], credential_ids: [], sync_connectors_enabled_user_credentials: [] };
