import { Fault } from "@assistant/kit/wire/fault.js";
import type { ContextCategory } from "@assistant/proto/assistant/contexts/v1/context_categories.js";
import type { Context } from "@assistant/proto/assistant/contexts/v1/contexts.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import type { Beside, Person, Platform } from "./platform.js";

/** Creates a category, in the person's org if not said otherwise. */
export async function createCategory(
  person: Person,
  about: { name?: string; stack_order?: number; scope_id?: string } = {},
  beside: Beside = {},
): Promise<ContextCategory> {
  const request = { name: "Tone", scope_id: person.caller.orgId, ...about };
  const { context_category } = await person.ask(rpcs.createContextCategory, request, beside);
  return present(context_category);
}

/** Creates a context in a category, in its scope if not said otherwise. */
export async function createContext(
  person: Person,
  category: ContextCategory,
  about: { title?: string; context?: string; scope_id?: string } = {},
  beside: Beside = {},
): Promise<Context> {
  const scope_id = category.scope?.scope_id;
  const request = { title: "Brief", context: "Answer briefly.", category_id: category.id, scope_id, ...about };
  const { context } = await person.ask(rpcs.createContext, request, beside);
  return present(context);
}

export async function createContexts(
  person: Person,
  category: ContextCategory,
  titles: readonly string[],
): Promise<Context[]> {
  const created: Context[] = [];
  for (const title of titles) {
    created.push(await createContext(person, category, { title }));
  }
  return created;
}

/** Titles of a category's contexts in stacking order, with their positions. */
export async function stackOf(person: Person, category: ContextCategory): Promise<[string, number][]> {
  const { items } = await person.ask(rpcs.listContexts, { category_id: category.id, page_size: 200 });
  return items.map((context) => [context.title, context.stack_order]);
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
