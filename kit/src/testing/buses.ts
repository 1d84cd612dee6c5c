import type { Bus } from "../events/bus.js";
import { openJetStreamBus } from "../events/bus-jetstream.js";
import { openPostgresBus } from "../events/bus-postgres.js";
import { busMigrations } from "../events/bus-postgres-schema.js";
import { createTestDatabase, quiet } from "../testing.js";
import { createTestNats, natsMissing, type TestNats } from "./nats.js";

/** Every kind of bus, as a test of its own and for processes of its own. */
export interface TestBus {
  /** What a part needs to reach it. */
  readonly wiring: Readonly<Record<string, string>>;
  readonly nats?: TestNats;
  open(): Bus;
  close(): Promise<void>;
}

export const busKinds: { name: string; reason: string | undefined; start(): Promise<TestBus> }[] = [
  {
    name: "the built-in bus",
    reason: undefined,
    async start() {
      const { url, close } = await createTestDatabase(busMigrations);
      return { wiring: { busUrl: url }, open: () => openPostgresBus({ url, log: quiet, leaseMs: LEASE_MS }), close };
    },
  },
  {
    name: "the JetStream bus",
    reason: natsMissing(),
    async start() {
      const nats = await createTestNats();
      const { url, close } = nats;
      return {
        wiring: { natsUrl: url },
        nats,
        open: () => openJetStreamBus({ url, name: "test", log: quiet, leaseMs: LEASE_MS }),
        close,
      };
    },
  },
];

// Short, so that what somebody dropped comes back soon.
export const LEASE_MS = 1_000;
