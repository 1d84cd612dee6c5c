import type { Call, Reply } from "@assistant/kit/wire/call.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import type { KnownUseCase, UseCases } from "../use-cases.js";

/** A use case as it was when catalog was asked. */
export interface CurrentUseCase extends KnownUseCase {
  version: number;
}

/** The use case, if the caller may read it; the Fault missing if not. To be asked before any transaction. */
export async function requireUseCase(useCases: UseCases, call: Call, id: string): Promise<CurrentUseCase> {
  // As a call of its own, so that the version which travels beside the answer gets here.
  const { caller, deadlineMs, signal, requestId, traceparent } = call;
  const reply: Reply = {};
  const asking = { rpc: rpcs.getUseCase.path, caller, deadlineMs, signal, requestId, traceparent, reply };
  const known = await useCases.require(asking, id);
  return { ...known, version: reply.version ?? 0 };
}
