import type { Tx } from "@assistant/kit/database/postgres.js";
import type { Call, Reply } from "@assistant/kit/wire/call.js";
import { missing } from "@assistant/kit/wire/fault.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import { holdUseCaseGuests, type UseCaseGuestsRow } from "../store/use-case-guests.js";
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

/**
 * Holds a use case against its own deletion until the end of the transaction; the Fault missing where it was deleted
 * since catalog was asked.
 */
export async function holdUseCase(tx: Tx, orgId: string, useCase: CurrentUseCase): Promise<UseCaseGuestsRow> {
  const row = await holdUseCaseGuests(tx, orgId, useCase.id, useCase.label);
  if (row.deleted_version > useCase.version) {
    throw missing();
  }
  return row;
}
