import type { FileRegistry } from "@bufbuild/protobuf";
import { methodDescriptor } from "../rules/descriptor.js";
import { createChecker } from "../rules/rules.js";
import { notAnObject } from "../rules/violation.js";
import { Fault, internal, invalid } from "./fault.js";
import { type AnyRpc, type AnyStreamRpc, MESSAGE_MAX_BYTES } from "./rpc.js";

/** How a server reads and writes the messages of one rpc. */
export interface Coding {
  /** The request of these bytes; throws a Fault if they do not decode or it breaks a rule. */
  read(bytes: Buffer): unknown;
  /** The bytes of a response; throws a Fault if they are more than a message may weigh. */
  write(response: unknown): Buffer;
}

export function codingOf(rpc: AnyRpc | AnyStreamRpc, registry: FileRegistry): Coding {
  const check = createChecker(methodDescriptor(rpc.path, registry).input, registry);
  return {
    read(bytes) {
      const request = decode(rpc, bytes);
      const violations = check(request);
      if (violations.length > 0) {
        throw invalid(...violations);
      }
      return request;
    },
    write(response) {
      const bytes = rpc.responseSerialize(response);
      if (bytes.length > MESSAGE_MAX_BYTES) {
        throw internal(new RangeError(`a response of ${bytes.length} bytes is more than a message may weigh`));
      }
      return bytes;
    },
  };
}

function decode(rpc: AnyRpc | AnyStreamRpc, bytes: Buffer): unknown {
  try {
    return rpc.requestDeserialize(bytes);
  } catch (cause) {
    throw new Fault("invalid", "the bytes of the request do not decode", { cause, violations: [notAnObject([])] });
  }
}
