import { KEY } from "./keywords.js";
import { type MessageSchema, messageNameOf, type Schemas, type ValueSchema } from "./schema.js";

/** Where a value stands: as `loc` names it, in the order of fields, and what was sent there. */
export interface Place {
  readonly loc: readonly string[];
  /** Compares places in the order in which violations are told. */
  readonly rank: readonly number[];
  readonly value: unknown;
  /** What holds the value: shown where the value itself is missing. */
  readonly holder: unknown;
}

/** Gives the names of an object's entries as they were sent, where JavaScript has put them into another order. */
export type SentNames = (path: readonly string[]) => readonly string[] | undefined;

export type Walk = (schema: ValueSchema, value: unknown, path: readonly string[], sentNames?: SentNames) => Place;

/**
 * Finds the place of a path. A variant's tag stands in `loc` before its fields; paths of services have it already,
 * those of ajv do not.
 */
export function createWalk(schemas: Schemas): Walk {
  // An object of a hundred thousand names is put in order once, not for each of its violations.
  const orders: Walker["orders"] = new WeakMap();
  return (root, value, path, sentNames) => {
    const walker: Walker = {
      schemas,
      sentNames,
      orders,
      loc: [],
      path: [],
      rank: [],
      schema: root,
      value,
      holder: value,
    };
    for (const name of path) step(walker, name);
    return { loc: walker.loc, rank: walker.rank, value: walker.value, holder: walker.holder };
  };
}

export function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((rank, index) => rank !== other[index]);
  if (at === -1) return one.length - other.length;
  return (one[at] ?? 0) - (other[at] ?? -1);
}

interface Walker {
  readonly schemas: Schemas;
  readonly sentNames: SentNames | undefined;
  readonly orders: WeakMap<object, ReadonlyMap<string, number>>;
  readonly loc: string[];
  /** As `loc`, without tags. */
  readonly path: string[];
  readonly rank: number[];
  schema: ValueSchema | undefined;
  value: unknown;
  holder: unknown;
}

function step(walker: Walker, name: string): void {
  const message = messageOf(walker.schemas, walker.schema);
  if (name === KEY) {
    walker.rank.splice(-1, 1, 0);
    walker.loc.push(KEY);
    walker.value = walker.path.at(-1);
    return;
  }
  const tag = tagOf(message, walker.value);
  if (tag !== undefined && walker.loc.at(-1) !== tag) {
    walker.loc.push(tag);
    if (name === tag) return;
  }
  walker.rank.push(...ranksOf(walker, message, name));
  walker.holder = walker.value;
  walker.value = entryOf(walker.value, name);
  walker.schema = message ? message.properties[name] : (walker.schema?.items ?? walker.schema?.additionalProperties);
  walker.loc.push(name);
  walker.path.push(name);
}

function ranksOf(walker: Walker, message: MessageSchema | undefined, name: string): number[] {
  if (Array.isArray(walker.value)) return [Number(name)];
  const known = Object.keys(message?.properties ?? {});
  const at = known.indexOf(name);
  if (at !== -1) return [at];
  const sent = sentOrder(walker).get(name) ?? -1;
  // The entry of a map: its key comes before its value.
  return message === undefined ? [sent, 1] : [known.length + sent];
}

function sentOrder({ value, path, sentNames, orders }: Walker): ReadonlyMap<string, number> {
  const holder = typeof value === "object" && value !== null ? value : {};
  const known = orders.get(holder);
  if (known !== undefined) return known;
  const names = Object.keys(holder);
  // Only keys that look like indexes are moved to the front.
  const sent = (/^\d+$/.test(names[0] ?? "") && sentNames?.(path)) || names;
  const order = new Map(sent.map((name, index) => [name, index]));
  orders.set(holder, order);
  return order;
}

function messageOf(schemas: Schemas, schema: ValueSchema | undefined): MessageSchema | undefined {
  if (schema === undefined) return undefined;
  const name = messageNameOf(schema);
  if (name !== undefined) return schemas.requests[name];
  return isMessage(schema) ? schema : undefined;
}

// A message's own schema, as rows make it, also stands where a field's does.
function isMessage(schema: ValueSchema | MessageSchema): schema is MessageSchema {
  return "properties" in schema;
}

function tagOf(message: MessageSchema | undefined, value: unknown): string | undefined {
  if (message?.discriminator === undefined) return undefined;
  const tag = entryOf(value, message.discriminator.propertyName);
  return typeof tag === "string" ? tag : undefined;
}

/** What an object or a list of JSON holds under a name; nothing that it merely inherits. */
function entryOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
