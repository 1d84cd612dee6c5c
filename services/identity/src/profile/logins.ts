import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { ProfileServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/profile_service.js";
import type { Login } from "@assistant/proto/assistant/identity/v1/profiles.js";
import { pageOf } from "../paging.js";
import type { NounParts } from "../parts.js";
import { type LoginRow, listLogins } from "../store/logins.js";
import type { Slice } from "../store/order.js";
import { ownerOf } from "./owner.js";

export function logins({ db, pager }: NounParts): Handlers<Pick<typeof rpcs, "listLogins">> {
  return {
    listLogins: async (request, call) => {
      const owner = ownerOf(call.caller);
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        place: (row) => row.id,
        find: (slice: Slice<string>) => listLogins(db, owner, undefined, slice),
      });
      return { items: rows.map(presentLogin), next_page_token };
    },
  };
}

export function presentLogin({ at, method, address, user_agent }: LoginRow): Login {
  return { timestamp: at, method, ip_address: address ?? undefined, user_agent: user_agent ?? undefined };
}
