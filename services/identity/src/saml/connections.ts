import type { Caller } from "@assistant/kit/caller/caller.js";
import type { Tx } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import { valueError } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { conflict, invalid, missing } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import { requireMatch } from "@assistant/kit/wire/precondition.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { SamlConnection } from "@assistant/proto/assistant/identity/v1/saml_connections.js";
import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { pageOf } from "../paging.js";
import type { NounParts } from "../parts.js";
import { requireAdmin } from "../rights.js";
import { endSessions } from "../sessions/ending.js";
import { findGroup } from "../store/groups.js";
import type { Slice } from "../store/order.js";
import { hasOrgDomain } from "../store/org-domains.js";
import {
  findSamlConflict,
  findSamlConnection,
  insertSamlConnection,
  listSamlConnections,
  lockSamlConnection,
  lockSamlConnections,
  removeSamlConnection,
  type SamlConnectionRow,
  type SamlConnectionSettings,
  updateSamlConnection,
} from "../store/saml-connections.js";
import { presentConnection, readProvider, readSettings } from "./connection-settings.js";
import type { MetadataImport } from "./metadata-import.js";

export interface ConnectionsParts extends NounParts {
  clock: () => number;
  metadata: MetadataImport;
}

type Rpcs = Pick<
  typeof rpcs,
  | "createSamlConnection"
  | "getSamlConnection"
  | "listSamlConnections"
  | "updateSamlConnection"
  | "deleteSamlConnection"
  | "importSamlMetadata"
>;

export function connections(parts: ConnectionsParts): Handlers<Rpcs> {
  return { ...readers(parts), ...writers(parts), ...replacers(parts) };
}

/** The connection, for those who may know of it. */
export async function connectionInSight(parts: NounParts, caller: Caller, id: string): Promise<SamlConnectionRow> {
  requireAdmin(caller);
  return found(await findSamlConnection(parts.db, caller.orgId, id));
}

type Reads = Pick<Rpcs, "getSamlConnection" | "listSamlConnections">;
type Replaces = Pick<Rpcs, "updateSamlConnection" | "importSamlMetadata">;

function readers(parts: ConnectionsParts): Handlers<Reads> {
  const { db, pager } = parts;
  return {
    getSamlConnection: async (request, call) =>
      answer(await connectionInSight(parts, call.caller, given(request.connection_id)), call),

    listSamlConnections: async (request, call) => {
      requireAdmin(call.caller);
      const { rows, next_page_token } = await pageOf(pager, request, call, {
        place: (row) => row.id,
        find: (slice: Slice<string>) => listSamlConnections(db, call.caller.orgId, slice),
      });
      return { items: rows.map(presentConnection), next_page_token };
    },
  };
}

function writers({ write, clock, metadata }: ConnectionsParts): Handlers<Omit<Rpcs, keyof Reads | keyof Replaces>> {
  return {
    createSamlConnection: async (request, call) => {
      requireAdmin(call.caller);
      const { orgId } = call.caller;
      requireOneSource(request);
      const nowMs = clock();
      const source = { xml: request.metadata_xml, url: request.metadata_url };
      const read = await metadata.read(source);
      const settings = readSettings(request, read?.provider ?? readProvider(request, nowMs));
      return write(call, rpcs.createSamlConnection, request, async (tx) => {
        const id = newId("saml");
        await requireFree(tx, orgId, id, settings);
        return answer(await insertSamlConnection(tx, orgId, id, settings, timesOf(read)), call);
      });
    },

    deleteSamlConnection: async (request, call) => {
      requireAdmin(call.caller);
      const { orgId } = call.caller;
      return write(call, rpcs.deleteSamlConnection, request, async (tx) => {
        const row = found(await lockSamlConnection(tx, orgId, given(request.connection_id)));
        requireMatch(call, row.version);
        await endSessions(tx, orgId, { connectionId: row.id });
        await removeSamlConnection(tx, orgId, row.id);
        return { message: "SAML connection deleted" };
      });
    },
  };
}

function replacers({ write, clock, metadata, ...parts }: ConnectionsParts): Handlers<Replaces> {
  return {
    updateSamlConnection: async (request, call) => {
      await connectionInSight({ write, ...parts }, call.caller, given(request.connection_id));
      const settings = readSettings(request, readProvider(request, clock()));
      return write(call, rpcs.updateSamlConnection, request, async (tx) => {
        const row = await holdConnection(tx, call, given(request.connection_id));
        const isSameAddress = settings.slo_url === row.slo_url;
        const slo_response_url = isSameAddress ? row.slo_response_url : null;
        const dueAt = settings.metadata_url === null ? null : new Date(clock());
        return answer(await replace(tx, row, { ...settings, slo_response_url }, { readAt: null, dueAt }), call);
      });
    },

    importSamlMetadata: async (request, call) => {
      const known = await connectionInSight({ write, ...parts }, call.caller, given(request.connection_id));
      const source = { xml: request.metadata_xml, url: request.metadata_url };
      const read = given(await metadata.read(source));
      return write(call, rpcs.importSamlMetadata, request, async (tx) => {
        const row = await holdConnection(tx, call, known.id);
        const metadata_url = request.metadata_url ?? row.metadata_url;
        return answer(await replace(tx, row, { ...row, ...read.provider, metadata_url }, timesOf(read)), call);
      });
    },
  };
}

/** Holds a connection in turn with all who write one. */
async function holdConnection(tx: Tx, call: Call, id: string): Promise<SamlConnectionRow> {
  await lockSamlConnections(tx);
  const row = found(await lockSamlConnection(tx, call.caller.orgId, id));
  requireMatch(call, row.version);
  return row;
}

async function replace(
  tx: Tx,
  row: SamlConnectionRow,
  settings: SamlConnectionSettings,
  times: { readAt: Date | null; dueAt: Date | null },
): Promise<SamlConnectionRow> {
  await requireFree(tx, row.org_id, row.id, settings);
  const isOther = settings.entity_id !== row.entity_id;
  if (isOther || (row.enabled && !settings.enabled)) {
    await endSessions(tx, row.org_id, { connectionId: row.id });
  }
  return updateSamlConnection(tx, row.org_id, row.id, settings, times);
}

/** What must be one of a kind is, and the groups that the mapping names are the org's. */
async function requireFree(tx: Tx, orgId: string, id: string, settings: SamlConnectionSettings): Promise<void> {
  await lockSamlConnections(tx);
  const field = await findSamlConflict(tx, orgId, id, settings);
  if (field !== undefined) {
    throw conflict("name_taken", [field]);
  }
  if (settings.allow_idp_initiated && !(await hasOrgDomain(tx, orgId))) {
    // One connection of a provider may take what nobody asked for: not one of whoever was first to copy its metadata.
    throw invalid(valueError(["allow_idp_initiated"], "The org has no verified domain"));
  }
  for (const [index, { group_id }] of settings.group_mapping.entries()) {
    if (group_id !== undefined && (await findGroup(tx, orgId, group_id)) === undefined) {
      throw invalid(valueError(["group_mapping", String(index), "group_id"], "Unknown group_id"));
    }
  }
}

interface Sources {
  metadata_xml?: string | undefined;
  metadata_url?: string | undefined;
  entity_id?: string | undefined;
  sso_url?: string | undefined;
  slo_url?: string | undefined;
  certificates: readonly string[];
}

/** Metadata, or what would stand in it, but not both. */
function requireOneSource(request: Sources): void {
  const { metadata_xml, metadata_url, entity_id, sso_url, slo_url, certificates } = request;
  const isDescribed = [entity_id, sso_url, slo_url].some((field) => field !== undefined) || certificates.length > 0;
  const sources = [metadata_xml !== undefined, metadata_url !== undefined, isDescribed].filter(Boolean);
  if (sources.length > 1) {
    const text = "Provide only one of metadata_xml, metadata_url and the fields that metadata holds";
    throw invalid(valueError([], text));
  }
}

function timesOf(read: { readAt: Date; dueAt: Date | null } | undefined) {
  return { readAt: read?.readAt ?? null, dueAt: read?.dueAt ?? null };
}

function found(row: SamlConnectionRow | undefined): SamlConnectionRow {
  if (row === undefined) {
    throw missing();
  }
  return row;
}

function answer(row: SamlConnectionRow, call: Call): { saml_connection: SamlConnection } {
  call.reply.version = row.version;
  return { saml_connection: presentConnection(row) };
}
