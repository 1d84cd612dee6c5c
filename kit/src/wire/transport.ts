import { type ChannelOptions, Client, credentials, type Metadata, type StatusObject, status } from "@grpc/grpc-js";

/** One request on its way to a peer, already in bytes: how it travels, alone or with others, is decided here only. */
export interface Frame {
  readonly path: string;
  readonly bytes: Buffer;
  readonly metadata: Metadata;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** What came back: the status and trailers always, the bytes of the response if the status is OK. */
export interface Answer {
  readonly status: StatusObject;
  readonly bytes: Buffer | undefined;
}

export interface Transport {
  /** Never rejects: what goes wrong on the way is a status too. */
  send(frame: Frame): Promise<Answer>;
  close(): void;
}

/** A channel to a peer; each frame is one unary gRPC call. */
export function openTransport(address: string): Transport {
  const client = new Client(address, credentials.createInsecure(), CHANNEL_OPTIONS);
  return {
    send: (frame) => new Promise((resolve) => sendUnary(client, frame, resolve)),
    close: () => client.close(),
  };
}

const MESSAGE_MAX_BYTES = 4 * 1_024 * 1_024;

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
  const cancel = () => wire.cancel();
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
