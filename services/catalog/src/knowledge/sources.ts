import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Sql } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { denied, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { KnowledgeServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import type { KnowledgeSource } from "@assistant/proto/assistant/catalog/v1/knowledge_sources.js";
import { holdPrincipal, holdsKnowledgeGrant, insertKnowledgeGrant } from "../store/knowledge-grants.js";
import {
  findKnowledgeSource,
  insertKnowledgeSource,
  type KnowledgeSourceKey,
  type KnowledgeSourceRow,
  listKnowledgeSources,
  lockKnowledgeSource,
  removeKnowledgeSource,
  updateKnowledgeSource,
} from "../store/knowledge-sources.js";
import { askedPage } from "./paging.js";
import type { KnowledgeParts } from "./parts.js";
import { findPrincipal } from "./principals.js";
import { requireAdmin } from "./rights.js";
import { visibleAssets } from "./visibility.js";

type Reads = Pick<typeof rpcs, "getKnowledgeSource" | "listKnowledgeSources">;
type Writes = Pick<typeof rpcs, "createKnowledgeSource" | "updateKnowledgeSource" | "deleteKnowledgeSource">;

export function knowledgeSources(parts: KnowledgeParts): Handlers<Reads & Writes> {
  return { ...readers(parts), ...writers(parts) };
}

/** The source, for an admin; whoever holds a grant on it knows of it but may not manage it, nobody else knows of it. */
export async function managedSource(
  sql: Sql,
  caller: Caller,
  id: string,
  find: (sql: Sql, key: KnowledgeSourceKey) => Promise<KnowledgeSourceRow | undefined> = findKnowledgeSource,
): Promise<KnowledgeSourceRow> {
  const { orgId } = caller;
  if (caller.role !== "admin") {
    const { principalIds } = visibleAssets(caller);
    throw (await holdsKnowledgeGrant(sql, orgId, id, principalIds)) ? denied() : missing();
  }
  const row = await find(sql, { orgId, id });
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function readers({ db, pager }: KnowledgeParts): Handlers<Reads> {
  return {
    getKnowledgeSource: async (request, call) =>
      answer(await managedSource(db, call.caller, given(request.knowledge_source_id)), call),

    listKnowledgeSources: async (request, call) => {
      requireAdmin(call.caller);
      const { orgId } = call.caller;
      const { pageSize, before, after } = askedPage<string>(pager, request, call, [request.text]);
      const rows = await listKnowledgeSources(db, { orgId, text: request.text, before, limit: pageSize + 1 });
      const page = rows.slice(0, pageSize);
      return { items: page.map(present), next_page_token: after(rows[pageSize] && page.at(-1)?.id) };
    },
  };
}

function writers({ write, identity }: KnowledgeParts): Handlers<Writes> {
  return {
    createKnowledgeSource: async (request, call) => {
      requireAdmin(call.caller);
      const { orgId, principalId } = call.caller;
      const creator = await findPrincipal(call, principalId, identity);
      return write(call, rpcs.createKnowledgeSource, request, async (tx) => {
        const row = await insertKnowledgeSource(tx, { orgId, id: newId("ks") }, given(request.name));
        // Whoever leaves the org at this moment leaves a source that other admins manage.
        if (creator !== undefined && (await holdPrincipal(tx, creator))) {
          await insertKnowledgeGrant(tx, row.id, creator);
        }
        return answer(row, call);
      });
    },

    updateKnowledgeSource: (request, call) =>
      write(call, rpcs.updateKnowledgeSource, request, async (tx) => {
        const row = await managedSource(tx, call.caller, given(request.knowledge_source_id), lockKnowledgeSource);
        requireMatch(call, row.version);
        const { name = row.name } = request;
        return answer(name === row.name ? row : await updateKnowledgeSource(tx, keyOf(row), name), call);
      }),

    deleteKnowledgeSource: (request, call) =>
      write(call, rpcs.deleteKnowledgeSource, request, async (tx) => {
        const row = await managedSource(tx, call.caller, given(request.knowledge_source_id), lockKnowledgeSource);
        requireMatch(call, row.version);
        await removeKnowledgeSource(tx, keyOf(row));
        return { message: "Knowledge source deleted" };
      }),
  };
}

function keyOf({ org_id, id }: KnowledgeSourceRow): KnowledgeSourceKey {
  return { orgId: org_id, id };
}

function present({ id, name }: KnowledgeSourceRow): KnowledgeSource {
  return { id, name };
}

function answer(row: KnowledgeSourceRow, call: Call): { knowledge_source: KnowledgeSource } {
  call.reply.version = row.version;
  return { knowledge_source: present(row) };
}
