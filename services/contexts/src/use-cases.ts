import type { Call, Reply } from "@assistant/kit/wire/call.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import type { KnownUseCase } from "./store/use-cases.js";

/** A use case as catalog tells it; undefined where the caller may not know of it. */
export async function askUseCase(call: Call, id: string, catalog: Peer): Promise<KnownUseCase | undefined> {
  // As a call of its own, so that the version which travels beside the answer gets here.
  const { caller, deadlineMs, signal, requestId, traceparent } = call;
  const reply: Reply = {};
  const asking = { rpc: rpcs.getUseCase.path, caller, deadlineMs, signal, requestId, traceparent, reply };
  try {
    await catalog.call(rpcs.getUseCase, { use_case_id: id }, asking);
  } catch (error) {
    if (error instanceof Fault && error.kind === "missing") return undefined;
    throw error;
  }
  return { orgId: caller.orgId, id, version: reply.version ?? 0, isDeleted: false };
}
