import { aboutList, PAGE_SIZE, type Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { CatalogServiceService as Rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import { visibleAssets } from "./knowledge/visibility.js";
import { listUseCases } from "./store/use-case-lists.js";
import { presentUseCase } from "./use-cases.js";

export function useCaseLists(db: Postgres, pager: Pager): Handlers<Pick<typeof Rpcs, "listUseCases">> {
  return {
    async listUseCases(request, call) {
      const { orgId, useCaseId } = call.caller;
      const { knowledge_asset_id: id } = request;
      const list = aboutList(call, [useCaseId, request.text, id]);
      const page = await listUseCases(db, {
        orgId,
        id: useCaseId,
        text: request.text,
        asset: id === undefined ? undefined : { id, sight: visibleAssets(call.caller) },
        before: positionOf(pager, request.page_token, list),
        pageSize: request.page_size ?? PAGE_SIZE,
      });
      const last = page.more ? page.rows.at(-1) : undefined;
      return {
        items: page.rows.map((row) => presentUseCase(row, request.locale)),
        next_page_token: last && pager.seal([last.id], list),
      };
    },
  };
}

function positionOf(pager: Pager, token: string | undefined, list: readonly string[]): string | undefined {
  if (token === undefined) return undefined;
  // A token opens only for the list that sealed it, and this one seals an id.
  const [id] = pager.open(token, list) as readonly [string];
  return id;
}
