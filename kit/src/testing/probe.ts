import { anonymous } from "../caller/caller.js";
import type { Verifier } from "../caller/verifier.js";
import { createLog } from "../process/log.js";
import type { Call } from "../wire/call.js";
import { unauthenticated } from "../wire/fault.js";
import type { Handlers, Rpc, StreamRpc } from "../wire/rpc.js";
import { type ServeOptions, type Server, serve, served } from "../wire/serve.js";
import { newTraceparent } from "../wire/trace.js";
import { compileProtos, describedRpc, describedStreamRpc } from "./protos.js";

/**
 * A service to try servers and peers on: reading may be repeated and is for guests too, writing not, opening needs no
 * token. Chatting streams both ways and is for guests too, dictating streams and is not.
 */
export const probeRegistry = compileProtos({
  "probe/v1/probe.proto": `
    syntax = "proto3";
    package probe.v1;
    import "assistant/common/v1/rules.proto";
    service ProbeService {
      rpc Read(ProbeRequest) returns (ProbeResponse) {
        option idempotency_level = NO_SIDE_EFFECTS;
        option (assistant.common.v1.method_rules) = {guests: true};
      }
      rpc Write(ProbeRequest) returns (ProbeResponse);
      rpc Open(ProbeRequest) returns (ProbeResponse);
      rpc Chat(stream ProbeRequest) returns (stream ProbeResponse) {
        option (assistant.common.v1.method_rules) = {guests: true};
      }
      rpc Dictate(stream ProbeRequest) returns (stream ProbeResponse);
    }
    message ProbeRequest {
      optional string name = 1 [(assistant.common.v1.rules) = {required: true max_length: 5}];
      optional int32 size = 2 [(assistant.common.v1.rules) = {ge: 0}];
      optional string text = 3;
    }
    message ProbeResponse { string text = 1; }
  `,
});

export interface ProbeRequest {
  readonly name?: string;
  readonly size?: number;
  readonly text?: string;
}

export interface ProbeResponse {
  readonly text: string;
}

export const Probe = {
  read: rpc("Read"),
  write: rpc("Write"),
  open: rpc("Open"),
  chat: streamRpc("Chat"),
  dictate: streamRpc("Dictate"),
};

/** Knows one token. */
export const probeVerifier: Verifier = {
  async verify(token) {
    if (token !== "good") {
      throw unauthenticated("another token");
    }
    return { ...anonymous, principalId: "usr_1", orgId: "org_1", kind: "user", token };
  },
};

export interface RunningProbe {
  readonly port: number;
  readonly address: string;
  readonly server: Server;
  /** What was logged. */
  readonly lines: Readonly<Record<string, unknown>>[];
}

/** Serves the probe; handlers left out answer the name of each request. */
export async function startProbe(
  handlers: Partial<Handlers<typeof Probe>> = {},
  options: Partial<ServeOptions> = {},
): Promise<RunningProbe> {
  const echo = async ({ name = "" }: ProbeRequest) => ({ text: name });
  const echoes = { read: echo, write: echo, open: echo, chat: echoEach, dictate: echoEach };
  const lines: Readonly<Record<string, unknown>>[] = [];
  const server = await serve({
    name: "probe",
    listen: "127.0.0.1:0",
    services: [served(Probe, { ...echoes, ...handlers }, ["open"])],
    verifier: probeVerifier,
    allowedCallers: ["friend"],
    log: createLog("probe", "0", "info", { write: (line) => lines.push(JSON.parse(line)) }),
    registry: probeRegistry,
    ...options,
  });
  return { server, port: server.port, address: `127.0.0.1:${server.port}`, lines };
}

/** A call by the caller whom the verifier knows. */
export function probeCall(fields: Partial<Call> = {}): Call {
  return {
    rpc: Probe.read.path,
    caller: { ...anonymous, token: "good" },
    deadlineMs: Date.now() + 5_000,
    signal: new AbortController().signal,
    requestId: "request-1",
    traceparent: newTraceparent(),
    reply: {},
    ...fields,
  };
}

function rpc(name: string): Rpc<ProbeRequest, ProbeResponse> {
  // The two interfaces above say what the two messages of the proto file hold.
  return describedRpc(`/probe.v1.ProbeService/${name}`, probeRegistry) as Rpc<ProbeRequest, ProbeResponse>;
}

function streamRpc(name: string): StreamRpc<ProbeRequest, ProbeResponse> {
  // As above.
  return describedStreamRpc(`/probe.v1.ProbeService/${name}`, probeRegistry) as StreamRpc<ProbeRequest, ProbeResponse>;
}

async function* echoEach(requests: AsyncIterable<ProbeRequest>): AsyncGenerator<ProbeResponse> {
  for await (const { name = "" } of requests) {
    yield { text: name };
  }
}
