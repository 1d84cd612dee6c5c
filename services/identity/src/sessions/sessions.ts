import { missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { Session } from "@assistant/proto/assistant/identity/v1/sessions.js";
import { SessionsServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { pageOf } from "../paging.js";
import type { NounParts } from "../parts.js";
import { requireAdmin } from "../rights.js";
import type { Slice } from "../store/order.js";
import { findSession, findSessionOf, listSessions, listSessionsOf, type SessionRow } from "../store/session-lists.js";
import { endSessions } from "./ending.js";

export interface SessionsParts extends NounParts {
  clock: () => number;
}

type OwnRpcs = Pick<typeof rpcs, "listUserSessions" | "deleteUserSession">;
type OrgRpcs = Pick<typeof rpcs, "listSessions" | "deleteSession">;

export function sessions(parts: SessionsParts): Handlers<OwnRpcs & OrgRpcs> {
  return { ...ownSessions(parts), ...orgSessions(parts) };
}

function ownSessions({ db, write, pager, clock }: SessionsParts): Handlers<OwnRpcs> {
  return {
    listUserSessions: async (request, call) => {
      const { principalId, sessionId } = call.caller;
      const now = new Date(clock());
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        place: (row) => row.id,
        find: (slice: Slice<string>) => listSessionsOf(db, principalId, now, slice),
      });
      return { items: rows.map((row) => present(row, sessionId)), next_page_token };
    },

    deleteUserSession: async (request, call) =>
      write(call, rpcs.deleteUserSession, request, async (tx) => {
        const now = new Date(clock());
        const { id, org_id } = found(await findSessionOf(tx, call.caller.principalId, now, given(request.session_id)));
        found((await endSessions(tx, org_id, { sessionId: id }))[0]);
        return { message: "Session ended" };
      }),
  };
}

function orgSessions({ db, write, pager, clock }: SessionsParts): Handlers<OrgRpcs> {
  return {
    listSessions: async (request, call) => {
      requireAdmin(call.caller);
      const { orgId, platformAdmin, sessionId } = call.caller;
      const { principal_id: principalId } = request;
      const now = new Date(clock());
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        about: [principalId ?? ""],
        place: (row) => row.id,
        find: (slice: Slice<string>) => listSessions(db, { orgId, platformAdmin, principalId }, now, slice),
      });
      return { items: rows.map((row) => present(row, sessionId)), next_page_token };
    },

    deleteSession: async (request, call) => {
      requireAdmin(call.caller);
      const { orgId, platformAdmin } = call.caller;
      return write(call, rpcs.deleteSession, request, async (tx) => {
        const view = { orgId, platformAdmin, principalId: undefined };
        const { id } = found(await findSession(tx, view, new Date(clock()), given(request.session_id)));
        found((await endSessions(tx, orgId, { sessionId: id }))[0]);
        return { message: "Session ended" };
      });
    },
  };
}

function found<Row>(row: Row | undefined): Row {
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function present(row: SessionRow, currentId: string): Session {
  return {
    id: row.id,
    principal_id: row.principal_id,
    methods: row.amr,
    created_at: row.created_at,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
    ip_address: row.address ?? undefined,
    user_agent: row.user_agent ?? undefined,
    use_case_id: row.use_case_id ?? undefined,
    current: row.id === currentId,
  };
}
