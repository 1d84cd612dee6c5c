import type { FileRegistry } from "@bufbuild/protobuf";
import { type ChannelOptions, Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import type { Verifier } from "../caller/verifier.js";
import type { Log } from "../process/log.js";
import { platformRegistry } from "../rules/descriptor.js";
import { addHealth } from "./health.js";
import type { Doorway } from "./reception.js";
import { addReflection } from "./reflection.js";
import { type Definition, type Handlers, MESSAGE_MAX_BYTES, serviceOf } from "./rpc.js";
import { answerStream, type StreamServing } from "./stream.js";
import { answerUnary, type UnaryServing } from "./unary.js";

/** A service: its rpcs, each with its handler. */
export type Served = Readonly<Record<string, UnaryServing | StreamServing>>;

/** Puts handlers to a definition; `open` names the rpcs that need no token. */
export function served<D extends Definition>(
  definition: D,
  handlers: Handlers<D>,
  open: readonly (keyof D & string)[] = [],
): Served {
  const entries = Object.entries<Definition[string]>(definition).map(([name, rpc]): [string, Served[string]] => {
    // `Handlers<D>` has under each name a handler for the messages of that rpc, and for streams of them if they stream;
    // only these types are forgotten here.
    const serving = { rpc, handle: handlers[name as keyof D], open: open.includes(name) } as Served[string];
    return [name, serving];
  });
  return Object.fromEntries(entries);
}

export interface ServeOptions {
  /** The service's own name, for the log. */
  readonly name: string;
  /** `127.0.0.1:50051`; port 0 takes a free one. */
  readonly listen: string;
  readonly services: readonly Served[];
  readonly verifier: Verifier;
  /** The services that may call this one. */
  readonly allowedCallers: readonly string[];
  readonly log: Log;
  /** After how long a connection is let go; absent: two minutes. */
  readonly connectionAgeMs?: number;
  /** Where the messages are described, if not with the platform's own. */
  readonly registry?: FileRegistry;
}

export interface Server {
  readonly port: number;
  /** Whether `ready` in grpc.health.v1 says SERVING; at first it does not. */
  setReady(ready: boolean): void;
  /** Takes no new calls, lets the running ones end, and ends them itself after the grace. */
  stop(graceMs: number): Promise<void>;
}

export async function serve(options: ServeOptions): Promise<Server> {
  const { log, registry = platformRegistry() } = options;
  const doorway: Doorway = {
    verifier: options.verifier,
    allowedCallers: new Set(options.allowedCallers),
    registry,
    log,
  };
  const { connectionAgeMs = CONNECTION_AGE_MS } = options;
  const server = new GrpcServer({ ...CHANNEL_OPTIONS, "grpc.max_connection_age_ms": connectionAgeMs });
  for (const service of options.services) {
    addServed(server, service, doorway);
  }
  const health = addHealth(server);
  addReflection(server, options.services.flatMap(nameOf), registry);
  const port = await listen(server, options.listen);
  log.info({ listen: options.listen, port }, `${options.name} listens`);
  return {
    port,
    setReady: (ready) => health.set("ready", ready),
    stop: async (graceMs) => {
      health.drain();
      await drain(server, graceMs, log);
    },
  };
}

/** Clients reconnect now and then and so find new replicas; grpc-js adds the jitter. */
const CONNECTION_AGE_MS = 120_000;

const CHANNEL_OPTIONS: ChannelOptions = {
  "grpc.max_receive_message_length": MESSAGE_MAX_BYTES,
  "grpc.max_send_message_length": MESSAGE_MAX_BYTES,
  "grpc.max_concurrent_streams": 1_024,
  // Covers the longest deadline: that of an upload over a slow line. Nor does the server ping: on a connection that it lets
  // go, a ping fails and takes the calls on it along.
  "grpc.max_connection_age_grace_ms": 750_000,
};

function addServed(server: GrpcServer, service: Served, doorway: Doorway): void {
  const entries = Object.entries(service);
  // The bytes pass through grpc-js as they are: the reception decodes and encodes, so failures of both are told apart.
  const definition = entries.map(([name, { rpc }]) => [name, { ...rpc, ...BYTES }]);
  const handlers = entries.map(([name, serving]) => [
    name,
    isStream(serving) ? answerStream(serving, doorway) : answerUnary(serving, doorway),
  ]);
  server.addService(Object.fromEntries(definition), Object.fromEntries(handlers));
}

const asIs = (bytes: Buffer): Buffer => bytes;

const BYTES = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs };

function isStream(serving: Served[string]): serving is StreamServing {
  return serving.rpc.requestStream;
}

function nameOf(service: Served): string[] {
  const [first] = Object.values(service);
  return first === undefined ? [] : [serviceOf(first.rpc.path)];
}

function listen(server: GrpcServer, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) {
        resolve(port);
      } else {
        reject(new Error(`cannot listen on ${address}: ${error.message}`, { cause: error }));
      }
    });
  });
}

function drain(server: GrpcServer, graceMs: number, log: Log): Promise<void> {
  return new Promise((resolve) => {
    // Calls that are cut off answer CANCELLED, which no caller repeats: only when waiting has been in vain.
    const timer = setTimeout(() => {
      log.warn({ grace_ms: graceMs }, "calls are still running after the grace and are cut off");
      server.forceShutdown();
      resolve();
    }, graceMs);
    server.tryShutdown((error) => {
      clearTimeout(timer);
      if (error !== undefined) {
        log.warn({ err: error }, "the server was not running");
      }
      resolve();
    });
  });
}
