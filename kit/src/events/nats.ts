import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { type ConnectionOptions, connect, type NatsConnection } from "@nats-io/transport-node";
import type { Log } from "../process/log.js";
import { unavailable } from "../wire/fault.js";

/** A connection to NATS, opened at the first use. A process starts whether NATS is there or not. */
export interface Nats {
  /** Throws the Fault unavailable at once while NATS is away. */
  connected(): Promise<JetStream>;
  close(): Promise<void>;
}

export interface JetStream {
  /** What JetStream goes over, for messages that nobody keeps. */
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  /** Whether the servers form a cluster, so that streams can have replicas. */
  readonly clustered: boolean;
}

/** `url`: one or more servers, `nats://user:password@host:4222,nats://...`. */
export function openNats({ url, name, log }: { url: string; name: string; log: Log }): Nats {
  let opening: Promise<{ connection: NatsConnection; stream: JetStream }> | undefined;
  let closed = false;

  const open = async () => {
    const connection = await connect({ ...connectionOptions(url), name });
    void watch(connection, log);
    // Later than one that is being opened may be closed.
    if (closed) {
      await connection.close();
    }
    const client = jetstream(connection, { timeout: ANSWER_TIMEOUT_MS });
    // Its check would fail while JetStream is still coming up.
    const manager = await jetstreamManager(connection, { timeout: ANSWER_TIMEOUT_MS, checkAPI: false });
    return { connection, stream: { connection, client, manager, clustered: connection.info?.cluster !== undefined } };
  };

  return {
    async connected() {
      if (closed) {
        throw unavailable("the connection to NATS is closed");
      }
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw unavailable("NATS is not there", error);
      });
      const { connection, stream } = await opening;
      if (connection.isClosed()) {
        opening = undefined;
        throw unavailable("the connection to NATS is closed");
      }
      return stream;
    },
    async close() {
      closed = true;
      // A connection that never came about needs no closing.
      const open = await opening?.catch(() => undefined);
      await open?.connection.close();
    },
  };
}

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_WAIT_MS = 250;
const ANSWER_TIMEOUT_MS = 5_000;
const PING_EVERY_MS = 5_000;

function connectionOptions(url: string): ConnectionOptions {
  const servers = url.split(",").map((text) => new URL(text.trim()));
  const [first] = servers;
  const user = decodeURIComponent(first?.username ?? "");
  const pass = decodeURIComponent(first?.password ?? "");
  return {
    servers: servers.map(({ host }) => host),
    ...(user !== "" && (pass === "" ? { token: user } : { user, pass })),
    ...(first?.protocol === "tls:" && { tls: {} }),
    timeout: CONNECT_TIMEOUT_MS,
    // Once it was there, it is waited for without end.
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    // A server that froze is noticed after two of these.
    pingInterval: PING_EVERY_MS,
  };
}

async function watch(connection: NatsConnection, log: Log): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === "disconnect" || status.type === "reconnect" || status.type === "error") {
      log.info({ nats: status.type }, "the connection to NATS has changed");
    }
  }
}
