import type { DomainEvent } from "./event.js";

/** Carries events between services, at least once and in no promised order. */
export interface Bus {
  /** Makes ready what the events of a service need, if it is not, and says how far they have come. May be repeated. */
  declare(service: string): Promise<StreamState>;
  /** Publishes events of one service; answers in their order. An event that the bus has already is not carried again. */
  publish(events: readonly DomainEvent[]): Promise<readonly Published[]>;
  /** Delivers to each consumer, however many replicas it has, every event of these types until one of them is done with it. */
  consume(subscription: Subscription): Consumption;
  /** The ids of a service's events that the bus has carried since then. */
  ids(service: string, since: Date): AsyncIterable<string>;
  close(): Promise<void>;
}

export interface StreamState {
  /** Another name than last time: what was published before may be gone. */
  readonly stream: string;
  readonly lastSequence: number;
}

export type Published = { readonly sequence: number } | { readonly error: unknown };

export interface Subscription {
  /** The consuming service. */
  readonly consumer: string;
  /** Types of events, `identity.group.deleted`. */
  readonly types: readonly string[];
  readonly handle: (delivery: Delivery) => Promise<Outcome>;
}

export interface Delivery {
  /** An event as it is on the wire. */
  readonly text: string;
  /** Counts from 1. */
  readonly attempt: number;
}

/** Done with it for good, or to be delivered again. A handler that throws gets it again after a second. */
export type Outcome = "done" | { readonly retryAfterMs: number };

export interface Consumption {
  /** Takes no more deliveries and waits for those in hand. */
  stop(): Promise<void>;
}
