import type { Peer } from "@assistant/kit/wire/dial.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { CallersServiceService as rpcs } from "@assistant/proto/assistant/common/v1/callers.js";

/**
 * Identity as the peer of itself, for its own verifier: over the wire, a token that needs GetCaller to be verified
 * would first have to be verified to ask GetCaller.
 */
export function ownPeer(handlers: Handlers<typeof rpcs>): Peer {
  return {
    name: "identity",
    async call(rpc, request, call) {
      // Both ways through bytes, as over the wire, so that the messages have the types that this rpc gives them.
      const bytes = rpc.requestSerialize(request);
      switch (rpc.path) {
        case rpcs.getKeys.path: {
          const answer = await handlers.getKeys(rpcs.getKeys.requestDeserialize(bytes), call);
          return rpc.responseDeserialize(rpcs.getKeys.responseSerialize(answer));
        }
        case rpcs.getCaller.path: {
          const answer = await handlers.getCaller(rpcs.getCaller.requestDeserialize(bytes), call);
          return rpc.responseDeserialize(rpcs.getCaller.responseSerialize(answer));
        }
        case rpcs.listRevocations.path: {
          const answer = await handlers.listRevocations(rpcs.listRevocations.requestDeserialize(bytes), call);
          return rpc.responseDeserialize(rpcs.listRevocations.responseSerialize(answer));
        }
        default:
          throw new Error(`identity does not ask itself for ${rpc.path}`);
      }
    },
    stream(rpc) {
      throw new Error(`identity does not ask itself for ${rpc.path}`);
    },
    close: () => undefined,
  };
}
