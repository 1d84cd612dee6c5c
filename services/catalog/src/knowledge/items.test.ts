import type { DomainEvent } from "@assistant/kit/events/event.js";
import { newId } from "@assistant/kit/process/id.js";
import { newTraceparent } from "@assistant/kit/wire/trace.js";
import { KnowledgeServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createAsset, createSource, grant } from "../testing/knowledge-verbs.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { knowledgeEvents } from "./event-handlers.js";
import { presentSummaries } from "./presenting.js";
import { findVisibleAssets } from "./visibility.js";

let platform: Platform;
let admin: Person;
let orgId: string;
beforeAll(async () => {
  platform = await openPlatform();
  admin = platform.person({ role: "admin" });
  orgId = admin.caller.orgId;
});
afterAll(() => platform.close());

describe("whether an asset is empty", () => {
  test("follows the last word on each item of its sources, in whatever order the words come", async () => {
    const source = await createSource(admin);
    const { id } = await createAsset(admin, { knowledge_source_ids: [await createSource(admin), source] });
    expect(await isEmpty(id)).toBe(true);
    await take("upserted", source, "item-a", 1);
    expect(await isEmpty(id)).toBe(false);
    await take("deleted", source, "item-a", 3);
    await take("upserted", source, "item-a", 2);
    expect(await isEmpty(id)).toBe(true);
    await take("deleted", source, "item-b", 2);
    await take("upserted", source, "item-b", 1);
    expect(await isEmpty(id)).toBe(true);
    await take("upserted", source, "item-b", 3);
    expect(await isEmpty(id)).toBe(false);
    await admin.ask(rpcs.deleteKnowledgeSource, { knowledge_source_id: source });
    expect(await isEmpty(id)).toBe(true);
    await take("upserted", source, "item-c", 1);
    const left = await platform.db.query("items_left", "select from knowledge_items where source_id = $1", [source]);
    expect(left).toEqual([]);
  });

  test("is told of items in sources of the same org alone", async () => {
    const source = await createSource(admin);
    const { id } = await createAsset(admin, { knowledge_source_ids: [source] });
    await take("upserted", source, "item", 1, newId("org"));
    expect(await isEmpty(id)).toBe(true);
    await expect(take("upserted", 5, "item", 1)).rejects.toThrow("has no knowledge_source_id");
  });
});

test("a summary shows what the interface promises, with the sources that the reader may see", async () => {
  const member = platform.person({ orgId });
  const [held, hidden] = [await createSource(admin), await createSource(admin)];
  await grant(admin, held, member.caller.principalId);
  await take("upserted", hidden, "item", 1);
  const asset = await createAsset(admin, { knowledge_source_ids: [hidden, held], icon_filename: "a.svg" });
  const rows = await findVisibleAssets(platform.db, member.caller, [newId("ka"), asset.id]);
  expect(await presentSummaries(platform.db, member.caller, rows)).toEqual([
    {
      id: asset.id,
      label: asset.label,
      description: {},
      knowledge_source_ids: [held],
      category: "KNOWLEDGE_ASSET_CATEGORY_MANAGED",
      icon_filename: "a.svg",
      is_selected_by_default: false,
      load_page_assets: false,
      download_disabled: false,
      guided_search_field_ids: [],
      is_empty: false,
    },
  ]);
});

async function isEmpty(assetId: string): Promise<boolean | undefined> {
  const rows = await findVisibleAssets(platform.db, admin.caller, [assetId]);
  return (await presentSummaries(platform.db, admin.caller, rows))[0]?.is_empty;
}

function take(verb: string, knowledge_source_id: unknown, item: string, sequence: number, org = orgId): Promise<void> {
  const origin = { actorId: "catalog", requestId: newId("req"), traceparent: newTraceparent() };
  const about = { id: newId("evt"), type: `sync.item.${verb}`, subject: item, orgId: org, sequence, time: new Date() };
  const event: DomainEvent = { ...origin, ...about, data: { knowledge_source_id, item } };
  const handler = knowledgeEvents[event.type];
  if (handler === undefined) throw new Error(`nobody takes ${event.type}`);
  return platform.db.transaction(origin, (tx) => handler(event, tx));
}
