import {
  AckPolicy,
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  JetStreamApiError,
  type JsMsg,
  ReplayPolicy,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { createBell } from "../process/bell.js";
import type { Log } from "../process/log.js";
import type { Consumption, Outcome, Subscription } from "./bus.js";
import { serviceOf } from "./event.js";
import { streamOf, subjectOf } from "./jetstream-names.js";
import type { Nats } from "./nats.js";

export interface StreamConsumptionOptions {
  readonly nats: Nats;
  readonly subscription: Subscription;
  readonly leaseMs: number;
  readonly log: Log;
}

/**
 * One durable consumer per type of event: server 2.9 knows one filter each, and during a rolling update the older replicas must not
 * be handed types that only the newer ones can take.
 */
export function consumeStream(options: StreamConsumptionOptions): Consumption {
  const consumptions = options.subscription.types.map((type) => consumeType(options, type));
  return {
    async stop() {
      await Promise.all(consumptions.map((consumption) => consumption.stop()));
    },
  };
}

const IN_HAND_MAX = 8;
const ACK_PENDING_MAX = 200;
const FETCH_MS = 2_000;
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 5_000;
const FAILED_RETRY_MS = 1_000;

// The name is in use; the consumer exists already, as newer servers say.
const CONSUMER_EXISTS = [10_013, 10_148];

function consumeType({ nats, subscription, leaseMs, log }: StreamConsumptionOptions, type: string): Consumption {
  const { consumer: name, handle } = subscription;
  const bell = createBell();
  const inHand = new Set<Promise<void>>();
  let fetching: ConsumerMessages | undefined;
  let stopping = false;
  /** What went wrong last, and how long to wait when it does again. */
  let trouble = { text: "", pauseMs: RETRY_MS };

  const take = (message: JsMsg) => {
    const done = deliver(message, handle, leaseMs, log).finally(() => {
      inHand.delete(done);
      bell.ring();
    });
    inHand.add(done);
  };

  const drawFrom = async (consumer: Consumer) => {
    while (!stopping) {
      while (inHand.size >= IN_HAND_MAX) {
        await bell.rung(leaseMs);
      }
      fetching = await consumer.fetch({ max_messages: IN_HAND_MAX - inHand.size, expires: FETCH_MS });
      trouble = { text: "", pauseMs: RETRY_MS };
      for await (const message of fetching) {
        (stopping ? refuse : take)(message);
      }
    }
  };

  const loop = async () => {
    while (!stopping) {
      try {
        await drawFrom(await ensureConsumer(nats, name, type, leaseMs));
      } catch (error) {
        // NATS is away, or the service that publishes these events has not made its stream yet, or not again.
        const text = String(error);
        // Told once: a service that nobody has deployed yet may be missing for months.
        if (text !== trouble.text) log.warn({ err: error, consumer: name, type }, "cannot take events now");
        const { pauseMs } = trouble;
        trouble = { text, pauseMs: Math.min(2 * pauseMs, RETRY_MAX_MS) };
        await bell.rung(pauseMs);
      }
    }
    await Promise.all(inHand);
  };

  const ended = loop();
  return {
    async stop() {
      stopping = true;
      bell.ring();
      await fetching?.close();
      await ended;
    },
  };
}

/** It came when we had already stopped: somebody else shall have it at once. */
function refuse(message: JsMsg): void {
  message.nak();
}

async function ensureConsumer(nats: Nats, name: string, type: string, leaseMs: number): Promise<Consumer> {
  const { client, manager } = await nats.connected();
  const stream = streamOf(serviceOf(type));
  const durable = `${name}-${type.slice(type.indexOf(".") + 1).replaceAll(".", "-")}`;
  const config = {
    durable_name: durable,
    filter_subject: subjectOf(type),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(leaseMs),
    deliver_policy: DeliverPolicy.All,
    replay_policy: ReplayPolicy.Instant,
    max_ack_pending: ACK_PENDING_MAX,
    // Attempts are counted in the inbox: at a limit here the message would silently stay.
    max_deliver: -1,
  };
  await manager.consumers.add(stream, config).catch((error: unknown) => {
    // It is there as an earlier release wished it.
    if (error instanceof JetStreamApiError && CONSUMER_EXISTS.includes(error.code)) {
      return manager.consumers.update(stream, durable, config);
    }
    throw error;
  });
  return client.consumers.get(stream, durable);
}

async function deliver(message: JsMsg, handle: Subscription["handle"], leaseMs: number, log: Log): Promise<void> {
  // On a connection that is closed these throw. The message then comes again, to somebody.
  const tell = (word: () => void) => {
    try {
      word();
    } catch (error) {
      log.debug({ err: error, subject: message.subject }, "NATS cannot be told about an event");
    }
  };
  const sign = setInterval(() => tell(() => message.working()), leaseMs / 3);
  try {
    const outcome = await handle({ text: message.string(), attempt: message.info.deliveryCount });
    tell(() => settle(message, outcome));
  } catch (error) {
    log.error({ err: error, subject: message.subject }, "an event was not taken and comes again");
    tell(() => settle(message, { retryAfterMs: FAILED_RETRY_MS }));
  } finally {
    clearInterval(sign);
  }
}

function settle(message: JsMsg, outcome: Outcome): void {
  if (outcome === "done") {
    message.ack();
  } else {
    message.nak(outcome.retryAfterMs);
  }
}
