import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { CallersServiceService } from "@assistant/proto/assistant/common/v1/callers.js";
import { presentRevocations } from "./revocations.js";
import type { SigningKeys } from "./signing-keys.js";
import { findGroupIds } from "./store/group-members.js";
import { listRevocations } from "./store/revocations.js";

export interface CallersParts {
  db: Postgres;
  signingKeys: SigningKeys;
}

/** What every service asks about those who call it. */
export function callers({ db, signingKeys }: CallersParts): Handlers<typeof CallersServiceService> {
  return {
    getKeys: async () => ({ keys: await signingKeys.published() }),

    getCaller: async (_request, { caller }) => {
      const groups = await findGroupIds(db, caller.orgId, caller.principalId);
      return {
        group_ids: groups.map((group) => group.group_id),
        managed_group_ids: groups.filter((group) => group.manager).map((group) => group.group_id),
      };
    },

    // A subject is all there is to a place in the list, and who asks is one of us: no pager need seal it.
    listRevocations: async ({ page_token: after = "" }) => {
      const rows = await listRevocations(db, { after, limit: PAGE });
      const next_page_token = rows.length === PAGE ? rows.at(-1)?.subject : undefined;
      return { revocations: presentRevocations(rows), next_page_token };
    },
  };
}

// Half a megabyte.
const PAGE = 10_000;
