import { idPrefix } from "@assistant/kit/process/id.js";
import type { Call } from "@assistant/kit/wire/call.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Rpc } from "@assistant/kit/wire/rpc.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import type { PrincipalState } from "../store/knowledge-grants.js";

/**
 * What a grant may be made to: a member, a group or a service account of the caller's org, or the org itself; undefined:
 * the id names none. Asks before any transaction.
 */
export async function findPrincipal(
  call: Call,
  principalId: string,
  identity: Peer,
): Promise<PrincipalState | undefined> {
  const { orgId } = call.caller;
  const ask = <Q, R>(rpc: Rpc<Q, R>, request: Q) => versionOf(call, identity, rpc, request);
  const version = await (() => {
    switch (idPrefix(principalId)) {
      case "usr":
        return ask(rpcs.getOrgMember, { org_id: orgId, user_id: principalId });
      case "grp":
        return ask(rpcs.getGroup, { group_id: principalId });
      case "sva":
        return ask(rpcs.getServiceAccount, { service_account_id: principalId });
      case "org":
        // An org has no departures to compare with.
        return principalId === orgId ? 0 : undefined;
      default:
        return undefined;
    }
  })();
  return version === undefined ? undefined : { orgId, principalId, version };
}

/** The version of a thing of identity's; undefined: there is no such thing. */
async function versionOf<Q, R>(call: Call, identity: Peer, rpc: Rpc<Q, R>, request: Q): Promise<number | undefined> {
  const { ifMatch: _match, idempotencyKey: _key, ...rest } = call;
  // A call of its own: only its own reply tells the version.
  const asking: Call = { ...rest, rpc: rpc.path, reply: {} };
  try {
    await identity.call(rpc, request, asking);
    return given(asking.reply.version);
  } catch (error) {
    if (error instanceof Fault && error.kind === "missing") return undefined;
    throw error;
  }
}
