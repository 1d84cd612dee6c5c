import type { Call } from "@assistant/kit/wire/call.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import { given } from "@assistant/kit/wire/given.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";

/** What identity needs to know of a use case, whose owner is catalog. */
export interface KnownUseCase {
  id: string;
  /** Its name, by language. */
  label: Readonly<Record<string, string>>;
}

export interface UseCases {
  /** The use case, if the caller may read it; the Fault missing if not. To be asked before any transaction. */
  require(call: Call, useCaseId: string): Promise<KnownUseCase>;
}

export function useCases(catalog: Peer): UseCases {
  return {
    async require(call, useCaseId) {
      const { use_case } = await catalog.call(rpcs.getUseCase, { use_case_id: useCaseId }, call);
      const { id, label } = given(use_case);
      return { id, label };
    },
  };
}
