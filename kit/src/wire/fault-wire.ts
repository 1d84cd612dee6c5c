import {
  Fault as WireFault,
  type FaultKind as WireKind,
  type Violation as WireViolation,
} from "@assistant/proto/assistant/common/v1/fault.js";
import { Metadata, type StatusObject, status } from "@grpc/grpc-js";
import { VIOLATIONS_MAX, type Violation } from "../rules/violation.js";
import { Fault, type FaultKind, internal } from "./fault.js";

/** A fault as gRPC sends it: the status, and in the trailer `fault-bin` what a client may read. */
export function faultToStatus(fault: Fault, trailers = new Metadata()): StatusObject {
  trailers.set(TRAILER, encodeFault(fault));
  return { code: WIRE[fault.kind].code, details: WIRE[fault.kind].details, metadata: trailers };
}

/** The fault that a status and its trailers tell of; `peer` is for the log. */
export function faultFromStatus({ code, details, metadata }: StatusObject, peer: string): Fault {
  const message = `${peer} answered ${status[code]}: ${details}`;
  const [trailer] = metadata.get(TRAILER);
  if (!(trailer instanceof Buffer)) {
    return withoutTrailer(code, message);
  }
  try {
    return decodeFault(trailer, message);
  } catch (cause) {
    return new Fault("internal", `${message}, with a trailer that cannot be read`, { cause });
  }
}

/** Whatever was thrown, as a fault; what is none is a defect. */
export function faultFrom(error: unknown): Fault {
  return error instanceof Fault ? error : internal(error);
}

const TRAILER = "fault-bin";
/** Node's HTTP/2 hangs to the deadline where trailers come near 64 KiB. */
const TRAILER_BYTES_MAX = 8_192;

const WIRE: Readonly<Record<FaultKind, { kind: WireKind; code: status; details: string }>> = {
  invalid: { kind: "FAULT_KIND_INVALID", code: status.INVALID_ARGUMENT, details: "the request breaks a rule" },
  unsupported: { kind: "FAULT_KIND_UNSUPPORTED", code: status.INVALID_ARGUMENT, details: "unsupported media type" },
  large: { kind: "FAULT_KIND_LARGE", code: status.INVALID_ARGUMENT, details: "the request is too large" },
  unauthenticated: { kind: "FAULT_KIND_UNAUTHENTICATED", code: status.UNAUTHENTICATED, details: "not authenticated" },
  denied: { kind: "FAULT_KIND_DENIED", code: status.PERMISSION_DENIED, details: "not permitted" },
  missing: { kind: "FAULT_KIND_MISSING", code: status.NOT_FOUND, details: "not found" },
  conflict: { kind: "FAULT_KIND_CONFLICT", code: status.ALREADY_EXISTS, details: "the current state forbids it" },
  stale: { kind: "FAULT_KIND_STALE", code: status.FAILED_PRECONDITION, details: "the version does not match" },
  exhausted: { kind: "FAULT_KIND_EXHAUSTED", code: status.RESOURCE_EXHAUSTED, details: "too many requests" },
  unavailable: { kind: "FAULT_KIND_UNAVAILABLE", code: status.UNAVAILABLE, details: "unavailable" },
  late: { kind: "FAULT_KIND_LATE", code: status.DEADLINE_EXCEEDED, details: "the deadline passed" },
  upstream: { kind: "FAULT_KIND_UPSTREAM", code: status.INTERNAL, details: "a system outside answered nonsense" },
  internal: { kind: "FAULT_KIND_INTERNAL", code: status.INTERNAL, details: "internal error" },
  refused: { kind: "FAULT_KIND_REFUSED", code: status.INVALID_ARGUMENT, details: "the token request is refused" },
};

// Object.entries forgets that the keys are the kinds, which the record's own type guarantees.
const KINDS = new Map(Object.entries(WIRE).map(([kind, { kind: wire }]) => [wire, kind as FaultKind]));

const AWAY: ReadonlySet<status> = new Set([
  status.UNAVAILABLE,
  // A peer of an older release: it will know the rpc soon.
  status.UNIMPLEMENTED,
  // Not we gave the call up, so the peer did: its patience with running calls ended while it was shutting down.
  status.CANCELLED,
]);

function withoutTrailer(code: status, message: string): Fault {
  if (AWAY.has(code)) {
    return new Fault("unavailable", message, { retryAfterS: 1 });
  }
  return new Fault(code === status.DEADLINE_EXCEEDED ? "late" : "internal", message);
}

function encodeFault(fault: Fault): Buffer {
  const violations = fault.violations.slice(0, VIOLATIONS_MAX).map(toWire);
  const retryAfterS = fault.retryAfterS === undefined ? undefined : Math.max(0, Math.ceil(fault.retryAfterS));
  for (;;) {
    const { description } = fault;
    const message = { kind: WIRE[fault.kind].kind, violations, retry_after_s: retryAfterS, description };
    const bytes = WireFault.encode(message).finish();
    if (bytes.length <= TRAILER_BYTES_MAX || violations.pop() === undefined) {
      return Buffer.from(bytes);
    }
  }
}

function decodeFault(bytes: Buffer, message: string): Fault {
  const wire = WireFault.decode(bytes);
  return new Fault(KINDS.get(wire.kind) ?? "internal", message, {
    violations: wire.violations.map(fromWire),
    ...(wire.retry_after_s === undefined ? {} : { retryAfterS: wire.retry_after_s }),
    description: wire.description,
  });
}

function toWire({ path, type, message, context }: Violation): WireViolation {
  return { path: [...path], type, message, context_json: JSON.stringify(context) };
}

function fromWire({ path, type, message, context_json }: WireViolation): Violation {
  const context: unknown = context_json === "" ? {} : JSON.parse(context_json);
  // `toWire` wrote it out of a record; a peer that writes something else would be no peer of ours.
  return { path, type, message, context: context as Readonly<Record<string, unknown>> };
}
