import { unknownId } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, invalid, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { KnowledgeGrant } from "@assistant/proto/assistant/catalog/v1/knowledge_grants.js";
import { KnowledgeServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import {
  findKnowledgeGrant,
  holdPrincipal,
  insertKnowledgeGrant,
  type KnowledgeGrantRow,
  listKnowledgeGrants,
  removeKnowledgeGrant,
} from "../store/knowledge-grants.js";
import { lockKnowledgeSource } from "../store/knowledge-sources.js";
import { askedPage } from "./paging.js";
import type { KnowledgeParts } from "./parts.js";
import { findPrincipal } from "./principals.js";
import { managedSource } from "./sources.js";

type Reads = Pick<typeof rpcs, "getKnowledgeGrant" | "listKnowledgeGrants">;
type Writes = Pick<typeof rpcs, "createKnowledgeGrant" | "deleteKnowledgeGrant">;

export function knowledgeGrants(parts: KnowledgeParts): Handlers<Reads & Writes> {
  return { ...readers(parts), ...writers(parts) };
}

function readers({ db, pager }: KnowledgeParts): Handlers<Reads> {
  return {
    getKnowledgeGrant: async (request, call) => {
      const source = await managedSource(db, call.caller, given(request.knowledge_source_id));
      const key = { orgId: source.org_id, sourceId: source.id, principalId: given(request.principal_id) };
      return answer(found(await findKnowledgeGrant(db, key)), call);
    },

    listKnowledgeGrants: async (request, call) => {
      const source = await managedSource(db, call.caller, given(request.knowledge_source_id));
      const { pageSize, before, after } = askedPage<number>(pager, request, call, [source.id]);
      const rows = await listKnowledgeGrants(db, {
        orgId: source.org_id,
        sourceId: source.id,
        before: before ?? Number.MAX_SAFE_INTEGER,
        limit: pageSize + 1,
      });
      const page = rows.slice(0, pageSize);
      return { items: page.map(present), next_page_token: after(rows[pageSize] && page.at(-1)?.version) };
    },
  };
}

function writers({ db, write, identity }: KnowledgeParts): Handlers<Writes> {
  return {
    createKnowledgeGrant: async (request, call) => {
      const sourceId = given(request.knowledge_source_id);
      // Whoever may not grant this source learns nothing about principals either.
      await managedSource(db, call.caller, sourceId);
      const principal = await findPrincipal(call, given(request.principal_id), identity);
      return write(call, rpcs.createKnowledgeGrant, request, async (tx) => {
        const source = await managedSource(tx, call.caller, sourceId, lockKnowledgeSource);
        if (principal === undefined || !(await holdPrincipal(tx, principal))) {
          throw invalid(unknownId("principal_id"));
        }
        const row = await insertKnowledgeGrant(tx, source.id, principal);
        if (row === undefined) {
          throw conflict("id_taken", ["principal_id"]);
        }
        return answer(row, call);
      });
    },

    deleteKnowledgeGrant: (request, call) =>
      write(call, rpcs.deleteKnowledgeGrant, request, async (tx) => {
        const source = await managedSource(tx, call.caller, given(request.knowledge_source_id));
        const key = { orgId: source.org_id, sourceId: source.id, principalId: given(request.principal_id) };
        const row = found(await findKnowledgeGrant(tx, key));
        requireMatch(call, row.version);
        if (!(await removeKnowledgeGrant(tx, key, row.version))) {
          throw missing();
        }
        return { message: "Knowledge grant deleted" };
      }),
  };
}

function found(row: KnowledgeGrantRow | undefined): KnowledgeGrantRow {
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function present({ principal_id }: KnowledgeGrantRow): KnowledgeGrant {
  return { principal_id };
}

function answer(row: KnowledgeGrantRow, call: Call): { knowledge_grant: KnowledgeGrant } {
  call.reply.version = row.version;
  return { knowledge_grant: present(row) };
}
