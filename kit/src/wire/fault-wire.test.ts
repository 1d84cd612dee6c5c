import { Metadata, status } from "@grpc/grpc-js";
import { describe, expect, test } from "@jest/globals";
import { violation } from "../rules/violation.js";
import { Fault, type FaultKind, internal } from "./fault.js";
import { faultFrom, faultFromStatus, faultToStatus } from "./fault-wire.js";

const CODES: Readonly<Record<FaultKind, keyof typeof status>> = {
  invalid: "INVALID_ARGUMENT",
  unsupported: "INVALID_ARGUMENT",
  large: "INVALID_ARGUMENT",
  unauthenticated: "UNAUTHENTICATED",
  denied: "PERMISSION_DENIED",
  missing: "NOT_FOUND",
  conflict: "ALREADY_EXISTS",
  stale: "FAILED_PRECONDITION",
  exhausted: "RESOURCE_EXHAUSTED",
  unavailable: "UNAVAILABLE",
  late: "DEADLINE_EXCEEDED",
  upstream: "INTERNAL",
  internal: "INTERNAL",
  refused: "INVALID_ARGUMENT",
};

// Object.entries forgets that the keys are the kinds.
const KINDS = Object.entries(CODES) as [FaultKind, keyof typeof status][];

describe("a fault on the wire", () => {
  test.each(KINDS)("%s travels as %s and arrives as it was", (kind, code) => {
    const sent = new Fault(kind, "for the log only", {
      violations: [violation(["label", "de"], "type", "Message", { limit: 5, words: ["a"], error: {} })],
      retryAfterS: 1.2,
      description: "grant_type is missing",
      cause: new Error("hidden"),
    });
    const onTheWire = faultToStatus(sent);
    expect(status[onTheWire.code]).toBe(code);
    expect(JSON.stringify([onTheWire.details, String(onTheWire.metadata.get("fault-bin"))])).not.toMatch(/log|hidden/);
    const arrived = faultFromStatus(onTheWire, "contexts");
    expect(arrived).toMatchObject({ kind, violations: sent.violations, retryAfterS: 2, description: sent.description });
    expect(arrived.message).toContain("contexts");
  });

  test.each<[keyof typeof status, FaultKind]>([
    ["UNAVAILABLE", "unavailable"],
    ["UNIMPLEMENTED", "unavailable"],
    ["CANCELLED", "unavailable"],
    ["DEADLINE_EXCEEDED", "late"],
    ["NOT_FOUND", "internal"],
    ["INVALID_ARGUMENT", "internal"],
    ["UNKNOWN", "internal"],
  ])("%s without the trailer is %s", (code, kind) => {
    const fault = faultFromStatus({ code: status[code], details: "", metadata: new Metadata() }, "contexts");
    expect([fault.kind, fault.retryAfterS]).toEqual([kind, kind === "unavailable" ? 1 : undefined]);
  });

  test("a trailer that cannot be read, or of a kind that is not known yet, is internal", () => {
    for (const bytes of [[0xff], [0x08, 0x63], [0x12, 0x04, 0x22, 0x02, 0x7b, 0x7b]]) {
      const metadata = new Metadata();
      metadata.set("fault-bin", Buffer.from(bytes));
      expect(faultFromStatus({ code: status.NOT_FOUND, details: "", metadata }, "contexts").kind).toBe("internal");
    }
  });

  test("what was thrown and is no fault is internal, with the cause for the log", () => {
    const cause = new TypeError("defect");
    expect(faultFrom(cause)).toMatchObject({ kind: "internal", cause });
    const fault = internal(cause);
    expect(faultFrom(fault)).toBe(fault);
  });
});
