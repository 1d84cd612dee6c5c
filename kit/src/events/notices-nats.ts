import type { NatsConnection } from "@nats-io/transport-node";
import { createBell } from "../process/bell.js";
import type { Log } from "../process/log.js";
import { within } from "../process/within.js";
import { unavailable } from "../wire/fault.js";
import { openNats } from "./nats.js";
import type { NoticeListener, Notices } from "./notices.js";

/** Notices as messages of NATS itself, which no stream keeps. */
export function openNatsNotices(options: { url: string; name: string; log: Log; probeMs: number }): Notices {
  const { log, probeMs } = options;
  const nats = openNats(options);
  const bell = createBell();
  const attending: Promise<void>[] = [];
  let closed = false;

  const attend = async (subject: string, listener: NoticeListener, tried: () => void) => {
    while (!closed) {
      try {
        const { connection } = await nats.connected();
        await listenOn(connection, subject, listener, probeMs);
      } catch (error) {
        log.debug({ err: error }, "cannot listen for notices now");
      }
      tried();
      if (!closed) {
        await bell.rung(RETRY_MS);
      }
    }
  };

  return {
    async tell(subject, texts) {
      const { connection } = await nats.connected();
      try {
        // While the connection is away it would keep what is told for later, again with each attempt.
        await within(ANSWER_MS, connection.rtt());
        for (const text of texts) {
          connection.publish(subject, text);
        }
        await within(ANSWER_MS, connection.rtt());
      } catch (error) {
        throw unavailable("NATS does not take notices", error);
      }
    },
    listen: (subject, listener) =>
      new Promise((resolve) => {
        const opened = () => {
          listener.opened();
          resolve();
        };
        attending.push(attend(subject, { ...listener, opened }, resolve));
      }),
    async close() {
      closed = true;
      bell.ring();
      await nats.close();
      await Promise.all(attending);
    },
  };
}

const RETRY_MS = 500;
const ANSWER_MS = 2_000;

/** Listens until the connection is closed, by whomever; it comes back by itself where the server was away. */
async function listenOn(connection: NatsConnection, subject: string, listener: NoticeListener, probeMs: number) {
  const timer = setInterval(() => {
    // One that does not answer is not alive, which is all there is to say.
    within(ANSWER_MS, connection.rtt()).then(listener.alive, () => undefined);
  }, probeMs);
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => {
      if (error === null) {
        listener.hear(message.string());
      }
    },
  });
  const refused = subscription.closed.then(() => connection.close());
  try {
    await openedOn(connection, listener);
    for await (const { type } of connection.status()) {
      if (type === "reconnect") {
        await openedOn(connection, listener);
      }
    }
  } finally {
    clearInterval(timer);
    await connection.close();
    await refused;
  }
}

/** The server has the subscription once it answers what was asked after it. */
async function openedOn(connection: NatsConnection, listener: NoticeListener): Promise<void> {
  await within(ANSWER_MS, connection.rtt());
  listener.opened();
}
