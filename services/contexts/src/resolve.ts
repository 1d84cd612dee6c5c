import { aboutList, PAGE_SIZE, type Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import { idPrefix } from "@assistant/kit/process/id.js";
import { unknownId } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import { invalid } from "@assistant/kit/wire/fault.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { ContextsServiceService as Rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { presentContext } from "./contexts.js";
import { accessTo, ownScopes } from "./scope.js";
import { listResolved, RESOLVED_START, type ResolvedPosition, type ResolvedRow } from "./store/resolved.js";
import { isInUse } from "./store/use-cases.js";
import { askUseCase } from "./use-cases.js";

export function resolvedContexts(
  db: Postgres,
  pager: Pager,
  catalog: Peer,
): Handlers<Pick<typeof Rpcs, "resolveContexts">> {
  return {
    async resolveContexts(request, call) {
      const useCaseIds = await requireUseCase(request.use_case_id, { call, db, catalog });
      const list = aboutList(call, [request.use_case_id]);
      const page = await listResolved(db, {
        orgId: call.caller.orgId,
        scopeIds: [...ownScopes(call.caller), ...useCaseIds],
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

interface Asking {
  call: Call;
  db: Postgres;
  catalog: Peer;
}

/**
 * The use case that is asked about, if any; throws where the caller may not know of it. Catalog is asked only of what
 * is not known here, which may be new or a mistake.
 */
async function requireUseCase(id: string | undefined, { call, db, catalog }: Asking): Promise<string[]> {
  if (id === undefined) return [];
  const mayBe = idPrefix(id) === "uc" && accessTo(call.caller, id) !== "none";
  const isKnown = mayBe && ((await isInUse(db, call.caller.orgId, id)) || (await askUseCase(call, id, catalog)));
  if (!isKnown) {
    throw invalid(unknownId("use_case_id"));
  }
  return [id];
}

function placeOf(row: ResolvedRow): ResolvedPosition {
  return [row.rank, row.scope_id, row.category_order, row.category_id, row.stack_order, row.id];
}

function positionOf(pager: Pager, token: string, list: readonly string[]): ResolvedPosition {
  // A token opens only for the list that sealed it, and this one seals what `placeOf` makes.
  return pager.open(token, list) as ResolvedPosition;
}
