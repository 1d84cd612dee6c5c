import { aboutList, PAGE_SIZE, type Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import { idPrefix } from "@assistant/kit/process/id.js";
import { unknownId } from "@assistant/kit/rules/violation.js";
import { invalid, missing } from "@assistant/kit/wire/fault.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { ContextsServiceService as Rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { presentContext } from "./contexts.js";
import { ownScopes } from "./scope.js";
import { listResolved, RESOLVED_START, type ResolvedPosition, type ResolvedRow } from "./store/resolved.js";

export function resolvedContexts(db: Postgres, pager: Pager): Handlers<Pick<typeof Rpcs, "resolveContexts">> {
  return {
    async resolveContexts(request, call) {
      refuseUseCases(request.use_case_id);
      const list = aboutList(call, [request.use_case_id]);
      const page = await listResolved(db, {
        orgId: call.caller.orgId,
        scopeIds: ownScopes(call.caller),
        after: request.page_token === undefined ? RESOLVED_START : positionOf(pager, request.page_token, list),
        pageSize: request.page_size ?? PAGE_SIZE,
      });
      const last = page.more ? page.rows.at(-1) : undefined;
      return {
        items: page.rows.map(presentContext),
        next_page_token: last && pager.seal(placeOf(last), list),
      };
    },
  };
}

/** Nothing is kept for use cases yet, so none is known here. */
function refuseUseCases(useCaseId: string | undefined): void {
  if (useCaseId === undefined) return;
  throw idPrefix(useCaseId) === "uc" ? missing() : invalid(unknownId("use_case_id"));
}

function placeOf(row: ResolvedRow): ResolvedPosition {
  return [row.rank, row.scope_id, row.category_order, row.category_id, row.stack_order, row.id];
}

function positionOf(pager: Pager, token: string, list: readonly string[]): ResolvedPosition {
  // A token opens only for the list that sealed it, and this one seals what `placeOf` makes.
  return pager.open(token, list) as ResolvedPosition;
}
