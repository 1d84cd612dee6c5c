import type { Verifier } from "@assistant/kit/caller/verifier.js";
import { newId } from "@assistant/kit/process/id.js";
import { quiet } from "@assistant/kit/testing.js";
import { dial, type Peer } from "@assistant/kit/wire/dial.js";
import { missing } from "@assistant/kit/wire/fault.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { serve, served } from "@assistant/kit/wire/serve.js";
import { CatalogServiceService } from "@assistant/proto/assistant/catalog/v1/service.js";

/** The part of catalog that identity asks, over gRPC, with the use cases of each org. */
export interface Catalog {
  peer: Peer;
  /** Lets catalog know of a use case; answers its id. */
  addUseCase(orgId: string, label?: Record<string, string>): string;
  /** Catalog has it again, at a version. */
  restoreUseCase(id: string, version: number): void;
  /** Catalog knows of it no more. */
  removeUseCase(id: string): void;
  close(): Promise<void>;
}

export async function serveCatalog(verifier: Verifier): Promise<Catalog> {
  const known = new Map<string, { orgId: string; label: Record<string, string>; version: number }>();
  const handlers: Handlers<Pick<typeof CatalogServiceService, "getUseCase">> = {
    async getUseCase({ use_case_id: id = "" }, { caller, reply }) {
      const found = known.get(id);
      const isGuestElsewhere = caller.useCaseId !== undefined && caller.useCaseId !== id;
      if (found?.orgId !== caller.orgId || isGuestElsewhere) throw missing();
      reply.version = found.version;
      const nothing = { description: {}, credential_ids: [] };
      const connectors = { sync_connectors: [], sync_connectors_enabled_user_credentials: [] };
      return { use_case: { id, label: found.label, ...nothing, ...connectors } };
    },
  };
  const services = [served({ getUseCase: CatalogServiceService.getUseCase }, handlers)];
  const listen = "127.0.0.1:0";
  const server = await serve({ name: "catalog", listen, services, verifier, allowedCallers: ["identity"], log: quiet });
  const peer = dial({ from: "identity", to: "catalog", address: `127.0.0.1:${server.port}`, log: quiet });
  return {
    peer,
    addUseCase(orgId, label = { en: "Contract review" }) {
      const id = newId("uc");
      known.set(id, { orgId, label, version: 1 });
      return id;
    },
    restoreUseCase(id, version) {
      const found = known.get(id);
      if (found !== undefined) known.set(id, { ...found, version });
    },
    removeUseCase: (id) => void known.delete(id),
    async close() {
      peer.close();
      await server.stop(1_000);
    },
  };
}
