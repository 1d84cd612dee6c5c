import {
  type ChannelOptions,
  Client,
  type ClientDuplexStream,
  credentials,
  type Metadata,
  type StatusObject,
  status,
} from "@grpc/grpc-js";
import { MESSAGE_MAX_BYTES } from "./rpc.js";

/** What goes ahead of the messages of a call. */
export interface Heading {
  readonly path: string;
  readonly metadata: Metadata;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** One request on its way to a peer, already in bytes: how it travels, alone or with others, is decided here only. */
export interface Frame extends Heading {
  readonly bytes: Buffer;
}

/** What came back: the status and trailers always, the bytes of the response if the status is OK. */
export interface Answer {
  readonly status: StatusObject;
  readonly bytes: Buffer | undefined;
}

/** A call whose messages stream both ways, in bytes. */
export interface Exchange {
  /** Takes the requests and gives the responses. That it ends says nothing of how. */
  readonly wire: ClientDuplexStream<Buffer, Buffer>;
  /** The status and trailers, as soon as they are here; never rejects. */
  readonly status: Promise<StatusObject>;
}

export interface Transport {
  /** Never rejects: what goes wrong on the way is a status too. */
  send(frame: Frame): Promise<Answer>;
  open(heading: Heading): Exchange;
  close(): void;
}

/** A channel to a peer, where each frame is one unary gRPC call, and another for streams once there is one. */
export function openTransport(address: string): Transport {
  const client = new Client(address, credentials.createInsecure(), CHANNEL_OPTIONS);
  let streaming: Client | undefined;
  return {
    send: (frame) => new Promise((resolve) => sendUnary(client, frame, resolve)),
    open: (heading) => {
      streaming ??= new Client(address, credentials.createInsecure(), STREAM_CHANNEL_OPTIONS);
      return openStream(streaming, heading);
    },
    close: () => {
      client.close();
      streaming?.close();
    },
  };
}

const CHANNEL_OPTIONS: ChannelOptions = {
  "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  // Our service config is the one above; a resolver would ask DNS for another.
  "grpc.service_config_disable_resolution": 1,
  "grpc.dns_min_time_between_resolutions_ms": 1_000,
  // A peer that comes back is found within a second.
  "grpc.initial_reconnect_backoff_ms": 50,
  "grpc.max_reconnect_backoff_ms": 500,
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 3_000,
  "grpc.keepalive_permit_without_calls": 1,
  "grpc.max_receive_message_length": MESSAGE_MAX_BYTES,
  "grpc.max_send_message_length": MESSAGE_MAX_BYTES,
  // Peers are neighbours; a proxy in the environment is for the way out.
  "grpc.enable_http_proxy": 0,
  // Two channels of one process share nothing: neither connections nor how long they wait to connect again.
  "grpc.use_local_subchannel_pool": 1,
};

/** Node's timers fire at once beyond this. */
const KEEPALIVE_NEVER_MS = 2 ** 31 - 1;

const STREAM_CHANNEL_OPTIONS: ChannelOptions = {
  ...CHANNEL_OPTIONS,
  // What grpc-js keeps in order to repeat a call it takes as sent: back-pressure would begin only after a megabyte.
  "grpc.per_rpc_retry_buffer_size": 0,
  // A ping on a connection that the server lets go, as it does with old ones, fails and takes the calls on it along:
  // streams may last longer than that. A peer that is frozen is noticed at the deadline.
  "grpc.keepalive_time_ms": KEEPALIVE_NEVER_MS,
};

const asIs = (bytes: Buffer): Buffer => bytes;

function sendUnary(client: Client, frame: Frame, resolve: (answer: Answer) => void): void {
  let received: Buffer | undefined;
  const { path, bytes, metadata, deadlineMs, signal } = frame;
  const wire = client.makeUnaryRequest(
    path,
    asIs,
    asIs,
    bytes,
    metadata,
    { deadline: deadlineMs },
    (error, response) => {
      if (error === null) {
        received = response;
      }
    },
  );
  const cancel = () => cancelFirmly(wire);
  signal.addEventListener("abort", cancel, { once: true });
  // The trailers come with the status, which follows the callback in every case.
  wire.once("status", (outcome) => {
    signal.removeEventListener("abort", cancel);
    const isWhole = outcome.code !== status.OK || received !== undefined;
    resolve({
      bytes: received,
      status: isWhole ? outcome : { ...outcome, code: status.INTERNAL, details: "no response" },
    });
  });
}

function openStream(client: Client, { path, metadata, deadlineMs, signal }: Heading): Exchange {
  const wire = client.makeBidiStreamRequest(path, asIs, asIs, metadata, { deadline: deadlineMs });
  const cancel = () => cancelFirmly(wire);
  signal.addEventListener("abort", cancel, { once: true });
  // The status follows every failure and tells more of it.
  wire.on("error", () => {});
  const outcome = new Promise<StatusObject>((resolve) => wire.once("status", resolve));
  return {
    wire,
    status: outcome.finally(() => signal.removeEventListener("abort", cancel)),
  };
}

// A call whose headers are only just being made ready grpc-js ends on this side alone: the peer would go on with it until
// its deadline. A turn later there is something to cancel.
function cancelFirmly(wire: Pick<ClientDuplexStream<Buffer, Buffer>, "cancel">): void {
  wire.cancel();
  setImmediate(() => wire.cancel());
}
