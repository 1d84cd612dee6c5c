import { Fault } from "@assistant/proto/assistant/common/v1/fault.js";
import {
  type CallOptions,
  Client,
  type ClientDuplexStream,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type StatusObject,
  status,
} from "@grpc/grpc-js";

/** What a client of any make sees of an answer. */
export interface RawAnswer {
  readonly code: string;
  readonly details: string;
  readonly trailers: Metadata;
  readonly bytes: Buffer | undefined;
  /** The trailer `fault-bin`, decoded. */
  readonly fault: Fault | undefined;
}

export interface RawCall {
  readonly answer: Promise<RawAnswer>;
  cancel(): void;
}

export interface RawStream {
  readonly wire: ClientDuplexStream<Buffer, Buffer>;
  /** The responses so far. */
  readonly received: readonly Buffer[];
  /** Its bytes are those of the last response. */
  readonly answer: Promise<RawAnswer>;
}

/** Sends bytes as they are to an rpc, as no client of ours would. */
export function callRaw(
  address: string,
  path: string,
  bytes: Buffer,
  metadata: Readonly<Record<string, string>> = {},
  options: CallOptions = {},
): RawCall {
  const client = connect(address);
  let received: Buffer | undefined;
  const wire = client.makeUnaryRequest(path, asIs, asIs, bytes, metadataOf(metadata), options, (_error, response) => {
    received = response;
  });
  return { answer: answerOf(client, wire, () => received), cancel: () => wire.cancel() };
}

/** Opens a stream of bytes to an rpc; what comes back is read at once. */
export function streamRaw(
  address: string,
  path: string,
  metadata: Readonly<Record<string, string>> = {},
  options: CallOptions = {},
): RawStream {
  const client = connect(address);
  const wire = client.makeBidiStreamRequest(path, asIs, asIs, metadataOf(metadata), options);
  const received: Buffer[] = [];
  wire.on("data", (bytes: Buffer) => received.push(bytes));
  // The answer tells of it.
  wire.on("error", () => {});
  return { wire, received, answer: answerOf(client, wire, () => received.at(-1)) };
}

const asIs = (given: Buffer) => given;

function connect(address: string): Client {
  return new Client(address, credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
}

async function answerOf(
  client: Client,
  wire: Pick<ClientUnaryCall, "once">,
  received: () => Buffer | undefined,
): Promise<RawAnswer> {
  const outcome = await new Promise<StatusObject>((resolve) => wire.once("status", resolve));
  client.close();
  const [trailer] = outcome.metadata.get("fault-bin");
  const fault = trailer instanceof Buffer ? Fault.decode(trailer) : undefined;
  return { code: status[outcome.code], details: outcome.details, trailers: outcome.metadata, bytes: received(), fault };
}

function metadataOf(entries: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(entries)) {
    metadata.set(name, value);
  }
  return metadata;
}
