import { aboutList, PAGE_SIZE, type Pager } from "@assistant/kit/database/page.js";
import type { Postgres } from "@assistant/kit/database/postgres.js";
import type { Call } from "@assistant/kit/wire/call.js";
import type { GuidedSearchField } from "@assistant/proto/assistant/catalog/v1/guided_fields.js";
import { type FieldPosition, listFields } from "../store/guided-field-lists.js";
import type { Owner } from "../store/guided-fields.js";
import { presentField } from "./field-content.js";
import { requireReadable } from "./owners.js";

interface PageRequest {
  page_size?: number | undefined;
  page_token?: string | undefined;
}

interface FieldPage {
  items: GuidedSearchField[];
  next_page_token?: string | undefined;
}

export async function listOwnFields(
  { db, pager }: { db: Postgres; pager: Pager },
  request: PageRequest,
  call: Call,
  owner: Owner,
): Promise<FieldPage> {
  await requireReadable(db, call.caller, owner);
  const list = aboutList(call, [owner.kind, owner.id]);
  const after = positionOf(pager, request.page_token, list);
  const page = await listFields(db, owner, { after, pageSize: request.page_size ?? PAGE_SIZE });
  const last = page.more ? page.rows.at(-1) : undefined;
  const next_page_token = last && pager.seal([last.position, last.id], list);
  return { items: page.rows.map(presentField), next_page_token };
}

function positionOf(pager: Pager, token: string | undefined, list: readonly string[]): FieldPosition | undefined {
  if (token === undefined) return undefined;
  // A token opens only for the list that sealed it, and this one seals a position and an id.
  const [position, id] = pager.open(token, list) as readonly [number, string];
  return { position, id };
}
