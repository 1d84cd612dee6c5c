import { Fault } from "@assistant/proto/assistant/common/v1/fault.js";
import { type CallOptions, Client, credentials, Metadata, type StatusObject, status } from "@grpc/grpc-js";

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

/** Sends bytes as they are to an rpc, as no client of ours would. */
export function callRaw(
  address: string,
  path: string,
  bytes: Buffer,
  metadata: Readonly<Record<string, string>> = {},
  options: CallOptions = {},
): RawCall {
  const client = new Client(address, credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
  const asIs = (given: Buffer) => given;
  let received: Buffer | undefined;
  const wire = client.makeUnaryRequest(path, asIs, asIs, bytes, metadataOf(metadata), options, (_error, response) => {
    received = response;
  });
  const answer = new Promise<StatusObject>((resolve) => wire.once("status", resolve)).then((outcome) => {
    client.close();
    const [trailer] = outcome.metadata.get("fault-bin");
    const fault = trailer instanceof Buffer ? Fault.decode(trailer) : undefined;
    return { code: status[outcome.code], details: outcome.details, trailers: outcome.metadata, bytes: received, fault };
  });
  return { answer, cancel: () => wire.cancel() };
}

function metadataOf(entries: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(entries)) {
    metadata.set(name, value);
  }
  return metadata;
}
