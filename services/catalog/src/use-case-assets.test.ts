import { newId } from "@assistant/kit/process/id.js";
import { CatalogServiceService } from "@assistant/proto/assistant/catalog/v1/service.js";
import { UseCaseContentServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/use_case_content_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { insertAsset } from "./testing/assets.js";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createUseCase, eventsOf, faultOf, outcome, refusal } from "./testing/verbs.js";

let platform: Platform;
let editor: Person;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
});
afterAll(() => platform.close());

describe("attaching knowledge assets", () => {
  test("puts each after the others, or where it is wanted, and lists them in this order", async () => {
    const [id, [a = "", b = "", c = ""]] = [await newUseCase(), await newAssets(3)];
    for (const asset of [a, b]) await attach(id, asset);
    await attach(id, c, 0);
    expect(await attachedTo(id)).toEqual([a, c, b]);
    await attach(id, a, 7);
    expect(await attachedTo(id)).toEqual([c, b, a]);
    const [d = ""] = await newAssets(1);
    await attach(id, d);
    expect(await attachedTo(id)).toEqual([c, b, a, d]);
  });

  test("is a version of the use case with an event, and attaching again changes nothing", async () => {
    const [id, [asset = ""]] = [await newUseCase(), await newAssets(1)];
    expect((await attach(id, asset)).reply.version).toBe(2);
    for (const position of [undefined, 0]) {
      const { answer, reply } = await attach(id, asset, position);
      expect(answer).toEqual({ message: "Knowledge asset attached" });
      expect(reply.version).toBe(2);
    }
    expect((await attach(id, asset, 5)).reply.version).toBe(3);
    await editor.ask(rpcs.detachKnowledgeAsset, { use_case_id: id, knowledge_asset_id: asset });
    const [, ...events] = await eventsOf(platform, id);
    expect(events.map(({ type, sequence, data }) => [type, sequence, data])).toEqual([
      ["catalog.use_case.asset_attached", 2, { id, knowledge_asset_id: asset, position: 0 }],
      ["catalog.use_case.asset_attached", 3, { id, knowledge_asset_id: asset, position: 5 }],
      ["catalog.use_case.asset_detached", 4, { id, knowledge_asset_id: asset }],
    ]);
  });

  test("after the last position there is shares it", async () => {
    const [id, [a = "", b = ""]] = [await newUseCase(), await newAssets(2)];
    await attach(id, a, 1_000_000);
    await attach(id, b);
    expect(await attachedTo(id)).toEqual([a, b].sort());
  });

  test("takes positions from 0 to 1,000,000", async () => {
    const [id, [asset = ""]] = [await newUseCase(), await newAssets(1)];
    expect((await refusal(attach(id, asset, -1))).at).toEqual(["position: greater_than_equal"]);
    expect((await refusal(attach(id, asset, 1_000_001))).at).toEqual(["position: less_than_equal"]);
    await attach(id, asset, 1_000_000);
  });

  test("refuses another version, before and with a change, and takes the right one", async () => {
    const [id, [asset = ""]] = [await newUseCase(), await newAssets(1)];
    const request = { use_case_id: id, knowledge_asset_id: asset };
    const put = (version: string) => editor.exchange(rpcs.attachKnowledgeAsset, request, { ifMatch: [version] });
    expect((await faultOf(put("2"))).kind).toBe("stale");
    await put("1");
    expect((await faultOf(editor.ask(rpcs.detachKnowledgeAsset, request, { ifMatch: ["1"] }))).kind).toBe("stale");
    await editor.ask(rpcs.detachKnowledgeAsset, request, { ifMatch: ["2"] });
  });

  test("stops at 200, also when fifty come at once, and a place that is freed can be taken", async () => {
    const id = await newUseCase();
    const assets = await newAssets(230);
    for (const asset of assets.slice(0, 180)) await attach(id, asset);
    const outcomes = await Promise.all(assets.slice(180).map((asset) => outcome(attach(id, asset))));
    expect(outcomes.filter((word) => word === "done")).toHaveLength(20);
    expect(outcomes.filter((word) => word === "conflict")).toHaveLength(30);
    const there = await attachedTo(id);
    expect(there).toHaveLength(200);
    await attach(id, there[0] ?? "");
    const left = assets.find((asset) => !there.includes(asset)) ?? "";
    await editor.ask(rpcs.detachKnowledgeAsset, { use_case_id: id, knowledge_asset_id: there[0] });
    await attach(id, left);
  }, 60_000);

  test("of the same asset fifty times at once attaches it once", async () => {
    const [id, [asset = ""]] = [await newUseCase(), await newAssets(1)];
    await Promise.all(Array.from({ length: 50 }, () => attach(id, asset)));
    expect(await eventsOf(platform, id)).toHaveLength(2);
  });
});

describe("who may", () => {
  test("attach and detach is an editor, of what the editor may see", async () => {
    const [id, [asset = ""]] = [await newUseCase(), await newAssets(1)];
    const { orgId } = editor.caller;
    const colleague = platform.person({ orgId });
    const own = await insertAsset(platform, colleague, { category: "personal" });
    const foreign = await insertAsset(platform, platform.person({ role: "admin" }));
    for (const rpc of [rpcs.attachKnowledgeAsset, rpcs.detachKnowledgeAsset]) {
      const ask = (person: Person, knowledge_asset_id: string, use_case_id = id) =>
        outcome(person.ask<object, object>(rpc, { use_case_id, knowledge_asset_id }));
      expect(await ask(colleague, asset)).toBe("denied");
      expect(await ask(colleague, foreign)).toBe("missing");
      for (const hidden of [own, foreign, newId("ka"), "nonsense"]) expect(await ask(editor, hidden)).toBe("missing");
      expect(await ask(editor, asset, newId("uc"))).toBe("missing");
      expect(await ask(platform.person({ role: "admin" }), asset)).toBe("missing");
      expect(await ask(platform.person({ orgId, role: "admin", useCaseId: id }), asset)).toBe("denied");
      expect(await ask(platform.stranger(), asset)).toBe("unauthenticated");
      expect(await ask(editor, asset)).toBe("done");
    }
    expect((await faultOf(detach(id, asset))).kind).toBe("missing");
  });

  test("see what is attached is everybody, of each category what they may see, guests too", async () => {
    const id = await newUseCase();
    const { orgId } = editor.caller;
    const admin = platform.person({ orgId, role: "admin" });
    const external = await insertAsset(platform, admin, { label: { en: "External" } });
    const personal = await insertAsset(platform, editor, { category: "personal" });
    const source = await insertSource(orgId, [orgId]);
    const closed = await insertSource(orgId, [admin.caller.principalId]);
    const managed = await insertAsset(platform, admin, { category: "managed", sources: [closed, source] });
    const hidden = await insertAsset(platform, admin, { category: "managed", sources: [closed] });
    for (const asset of [managed, personal, external]) await attach(id, asset);
    const request = { use_case_id: id, knowledge_asset_id: hidden };
    expect(await outcome(editor.ask(rpcs.attachKnowledgeAsset, request))).toBe("missing");
    await admin.ask(rpcs.attachKnowledgeAsset, request);
    const seenBy = async (person: Person) =>
      (await person.ask(rpcs.listAttachedKnowledgeAssets, { use_case_id: id })).items.map((item) => item.id);
    expect(await seenBy(editor)).toEqual([managed, personal, external]);
    expect(await seenBy(platform.person({ orgId }))).toEqual([managed, external]);
    expect(await seenBy(admin)).toEqual([managed, external, hidden]);
    const guest = platform.person({ orgId, kind: "service_account", principalId: newId("sva"), useCaseId: id });
    expect(await seenBy(guest)).toEqual([managed, external]);
    const other = { use_case_id: await newUseCase() };
    expect((await faultOf(guest.ask(rpcs.listAttachedKnowledgeAssets, other))).kind).toBe("missing");
    const { items } = await guest.ask(rpcs.listAttachedKnowledgeAssets, { use_case_id: id });
    expect(items[0]).toEqual({
      id: managed,
      label: { en: "Archive" },
      description: {},
      knowledge_source_ids: [source],
      category: "KNOWLEDGE_ASSET_CATEGORY_MANAGED",
      icon_filename: undefined,
      is_selected_by_default: false,
      load_page_assets: false,
      download_disabled: false,
      guided_search_field_ids: [],
      is_empty: true,
    });
  });

  test("see anything of a use case that is deleted is nobody, and all is there again after", async () => {
    const [id, [asset = ""]] = [await newUseCase(), await newAssets(1)];
    await attach(id, asset);
    await editor.ask(CatalogServiceService.deleteUseCase, { use_case_id: id });
    expect((await faultOf(attachedTo(id))).kind).toBe("missing");
    expect((await faultOf(attach(id, asset))).kind).toBe("missing");
    await editor.ask(CatalogServiceService.restoreUseCase, { use_case_id: id });
    expect(await attachedTo(id)).toEqual([asset]);
  });
});

describe("listing use cases by an asset", () => {
  test("finds those that it is attached to, page by page, and none by an asset that is not visible", async () => {
    const own = platform.person({ role: "editor" });
    const asset = await insertAsset(platform, own, { category: "personal" });
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await createUseCase(own)).id);
    await createUseCase(own);
    for (const use_case_id of ids) await own.ask(rpcs.attachKnowledgeAsset, { use_case_id, knowledge_asset_id: asset });
    const list = (person: Person, page_token?: string) =>
      person.ask(CatalogServiceService.listUseCases, { knowledge_asset_id: asset, page_size: 2, page_token });
    const first = await list(own);
    const second = await list(own, first.next_page_token);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(second.next_page_token).toBeUndefined();
    expect((await list(platform.person({ orgId: own.caller.orgId, role: "admin" }))).items).toEqual([]);
    expect((await list(platform.person({ role: "admin" }))).items).toEqual([]);
    const other = { knowledge_asset_id: newId("ka"), page_token: first.next_page_token };
    expect((await refusal(own.ask(CatalogServiceService.listUseCases, other))).at).toEqual([
      "page_token: page_token_invalid",
    ]);
  });
});

async function newUseCase(): Promise<string> {
  return (await createUseCase(editor)).id;
}

async function newAssets(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push(await insertAsset(platform, editor));
  return ids;
}

async function insertSource(orgId: string, holders: readonly string[]): Promise<string> {
  const id = newId("ks");
  const source = "insert into knowledge_sources (id, org_id, name, version) values ($1, $2, 'Source', 1)";
  await platform.db.query("insert_source", source, [id, orgId]);
  const grant = `insert into knowledge_grants (source_id, principal_id, org_id, principal_version)
    select $1, unnest($3::text[]), $2, 1`;
  await platform.db.query("insert_grants", grant, [id, orgId, holders]);
  return id;
}

function attach(use_case_id: string, knowledge_asset_id: string, position?: number) {
  return editor.exchange(rpcs.attachKnowledgeAsset, { use_case_id, knowledge_asset_id, position });
}

function detach(use_case_id: string, knowledge_asset_id: string) {
  return editor.ask(rpcs.detachKnowledgeAsset, { use_case_id, knowledge_asset_id });
}

async function attachedTo(use_case_id: string): Promise<string[]> {
  return (await editor.ask(rpcs.listAttachedKnowledgeAssets, { use_case_id })).items.map(({ id }) => id);
}
