import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import type { Log } from "../process/log.js";
import type { Bus, Consumption, Published, StreamState } from "./bus.js";
import { consumeStream } from "./bus-jetstream-deliveries.js";
import { type DomainEvent, writeEvent } from "./event.js";
import { streamOf, subjectOf } from "./jetstream-names.js";
import { type JetStream, type Nats, openNats } from "./nats.js";

export interface JetStreamBusOptions {
  readonly url: string;
  /** The service whose process this is. */
  readonly name: string;
  readonly log: Log;
  /** After this long without a sign a delivery goes to somebody else. */
  readonly leaseMs?: number;
}

/** The bus on NATS JetStream: one stream per publishing service. */
export function openJetStreamBus({ url, name, log, leaseMs = LEASE_MS }: JetStreamBusOptions): Bus {
  const nats = openNats({ url, name, log });
  const consumptions: Consumption[] = [];
  return {
    async declare(service) {
      return declareStream(await nats.connected(), service);
    },
    async publish(events) {
      const { client } = await nats.connected();
      return Promise.all(events.map((event) => publishOne(client, event)));
    },
    consume(subscription) {
      const consumption = consumeStream({ nats, subscription, leaseMs, log });
      consumptions.push(consumption);
      return consumption;
    },
    ids: (service, since) => listIds(nats, service, since),
    async close() {
      await Promise.all(consumptions.map((consumption) => consumption.stop()));
      await nats.close();
    },
  };
}

const LEASE_MS = 30_000;
const KEPT_MS = 7 * 24 * 3_600_000;
const DUPLICATES_MS = 600_000;
const IDS_LEASE_MS = 30_000;
const PAGE = 500;
const PAGE_TIMEOUT_MS = 5_000;

const STREAM_NAME_IN_USE = 10_058;

async function declareStream({ manager, clustered }: JetStream, service: string): Promise<StreamState> {
  const config = {
    name: streamOf(service),
    subjects: [subjectOf(`${service}.>`)],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(KEPT_MS),
    duplicate_window: nanos(DUPLICATES_MS),
    num_replicas: clustered ? 3 : 1,
  };
  const { created, state } = await manager.streams.add(config).catch((error: unknown) => {
    // It is there as an earlier release wished it.
    if (error instanceof JetStreamApiError && error.code === STREAM_NAME_IN_USE) {
      return manager.streams.update(config.name, config);
    }
    throw error;
  });
  return { stream: `${config.name} ${created}`, lastSequence: state.last_seq };
}

async function publishOne(client: JetStream["client"], event: DomainEvent): Promise<Published> {
  try {
    const { seq } = await client.publish(subjectOf(event.type), writeEvent(event), { msgID: event.id });
    return { sequence: seq };
  } catch (error) {
    return { error };
  }
}

/** Reads headers only, through a consumer that goes by itself when nobody asks it any more. */
async function* listIds(nats: Nats, service: string, since: Date): AsyncIterable<string> {
  const { client, manager } = await nats.connected();
  const stream = streamOf(service);
  const reader = await manager.consumers.add(stream, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: since.toISOString(),
    headers_only: true,
    inactive_threshold: nanos(IDS_LEASE_MS),
  });
  const consumer = await client.consumers.get(stream, reader.name);
  let pending = reader.num_pending;
  while (pending > 0) {
    let received = 0;
    for await (const message of await consumer.fetch({ max_messages: PAGE, expires: PAGE_TIMEOUT_MS })) {
      received += 1;
      pending = message.info.pending;
      yield message.headers?.get("Nats-Msg-Id") ?? "";
      if (pending === 0) {
        break;
      }
    }
    if (received === 0) {
      throw new Error(`${stream} stopped in the middle of being read`);
    }
  }
  await manager.consumers.delete(stream, reader.name);
}
