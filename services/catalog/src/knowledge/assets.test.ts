import { newId } from "@assistant/kit/process/id.js";
import { KnowledgeServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { assetChange, assetCreation, createAsset, createSource, grant } from "../testing/knowledge-verbs.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { eventsOf, faultOf, outcome, refusal } from "../testing/verbs.js";

let platform: Platform;
let admin: Person;
let orgId: string;
let source: string;
beforeAll(async () => {
  platform = await openPlatform();
  admin = platform.person({ role: "admin" });
  orgId = admin.caller.orgId;
  source = await createSource(admin);
});
afterAll(() => platform.close());

const get = (person: Person, knowledge_asset_id: string, include_deleted?: boolean) =>
  person.ask(rpcs.getKnowledgeAsset, { knowledge_asset_id, include_deleted });
const update = (person: Person, id: string, about: Parameters<typeof assetChange>[1], ifMatch?: string[]) =>
  person.exchange(rpcs.updateKnowledgeAsset, assetChange(id, about), ifMatch && { ifMatch });
const remove = (person: Person, knowledge_asset_id: string) =>
  person.ask(rpcs.deleteKnowledgeAsset, { knowledge_asset_id });
const restore = (person: Person, knowledge_asset_id: string) =>
  person.ask(rpcs.restoreKnowledgeAsset, { knowledge_asset_id });

const full = () => ({
  label: { de: "Verträge", en: "Contracts" },
  description: { en: "All of them." },
  knowledge_source_ids: [source],
  is_selected_by_default: true,
  rerank_top_n: 7,
  chunk_reranker_threshold: 0.75,
  icon_filename: "contracts.svg",
  fallback_strategy_tool_ids: ["web-search", "ask-a-person", "web-search"],
  load_page_assets: true,
  download_disabled: true,
});

describe("creating an asset", () => {
  test("with little answers what holds otherwise, at version 1", async () => {
    const { answer, reply } = await admin.exchange(rpcs.createKnowledgeAsset, assetCreation());
    expect(reply.version).toBe(1);
    expect(answer.knowledge_asset).toEqual({
      id: expect.stringMatching(/^ka_[0-9a-z]{26}$/),
      label: { en: "Contract archive" },
      description: {},
      knowledge_source_ids: [],
      is_selected_by_default: false,
      deleted: false,
      category: "KNOWLEDGE_ASSET_CATEGORY_MANAGED",
      rerank_top_n: 20,
      chunk_reranker_threshold: 0.3,
      icon_filename: undefined,
      fallback_strategy_tool_ids: [],
      load_page_assets: false,
      download_disabled: false,
      guided_search_field_ids: [],
    });
  });

  test("with everything answers it as it is read from then on, and emits an event without its texts", async () => {
    const { answer } = await admin.exchange(rpcs.createKnowledgeAsset, assetCreation(full()));
    expect(answer.knowledge_asset).toMatchObject(full());
    const id = answer.knowledge_asset?.id ?? "";
    const found = await admin.exchange(rpcs.getKnowledgeAsset, { knowledge_asset_id: id });
    expect([found.answer, found.reply.version]).toEqual([answer, 1]);
    const data = { id, category: "managed", knowledge_source_ids: [source] };
    const { principalId: actor_id } = admin.caller;
    expect(await eventsOf(platform, id)).toEqual([
      { type: "catalog.knowledge_asset.created", org_id: orgId, sequence: 1, actor_id, data },
    ]);
  });

  test("twice with one key creates one and answers it twice", async () => {
    const idempotencyKey = newId("key");
    const first = await createAsset(admin, {}, { idempotencyKey });
    expect(await createAsset(admin, {}, { idempotencyKey })).toEqual(first);
  });

  test("counts a source named twice once, in the place of its first naming", async () => {
    const other = await createSource(admin);
    const asset = await createAsset(admin, { knowledge_source_ids: [other, source, other] });
    expect(asset.knowledge_source_ids).toEqual([other, source]);
  });

  test("takes from an admin every source of the org, and from others those that they hold; all others are unknown", async () => {
    const member = platform.person({ orgId });
    const held = await createSource(admin);
    await grant(admin, held, member.caller.principalId);
    const foreign = await createSource(platform.person({ role: "admin" }));
    const category = "KNOWLEDGE_ASSET_CATEGORY_PERSONAL" as const;
    expect(await createAsset(member, { category, knowledge_source_ids: [held] })).toMatchObject({ category });
    const ids = [held, source, foreign, newId("ks"), "nothing"];
    const unknown = (places: number[]) => ({
      kind: "invalid",
      at: places.map((place) => `knowledge_source_ids.${place}: value_error`),
    });
    const byMember = createAsset(member, { category, knowledge_source_ids: ids });
    expect(await refusal(byMember)).toEqual(unknown([1, 2, 3, 4]));
    expect(await refusal(createAsset(admin, { knowledge_source_ids: ids }))).toEqual(unknown([2, 3, 4]));
    const fault = await faultOf(createAsset(admin, { knowledge_source_ids: ["nothing"] }));
    expect(fault.violations[0]?.message).toBe("Value error, Unknown knowledge_source_ids");
  });
});

describe("updating an asset", () => {
  test("replaces what is given as a whole, leaves the rest, and makes one version with its event", async () => {
    const { id } = await createAsset(admin, full());
    const { answer, reply } = await update(admin, id, { label: { fr: "Contrats" }, download_disabled: false });
    expect(reply.version).toBe(2);
    expect(answer.knowledge_asset).toMatchObject({ ...full(), label: { fr: "Contrats" }, download_disabled: false });
    expect((await get(admin, id)).knowledge_asset).toEqual(answer.knowledge_asset);
    const types = (await eventsOf(platform, id)).map(({ type, sequence }) => [type, sequence]);
    expect(types).toEqual([
      ["catalog.knowledge_asset.created", 1],
      ["catalog.knowledge_asset.updated", 2],
    ]);
  });

  test("empties lists and the icon where they are given empty, and takes no text away", async () => {
    const { id } = await createAsset(admin, full());
    const lists = { knowledge_source_ids: [], fallback_strategy_tool_ids: [] };
    const { answer } = await update(admin, id, {
      ...lists,
      icon_filename: "",
      rerank_top_n: 1,
      chunk_reranker_threshold: 0,
    });
    const expected = { ...lists, rerank_top_n: 1, chunk_reranker_threshold: 0, label: full().label };
    expect(answer.knowledge_asset).toMatchObject(expected);
    expect(answer.knowledge_asset?.icon_filename).toBeUndefined();
    const emptied = await refusal(update(admin, id, { label: {}, description: {} }));
    expect(emptied).toEqual({ kind: "invalid", at: ["label: too_short", "description: too_short"] });
  });

  test("with what is there already keeps the version and emits nothing", async () => {
    const { id } = await createAsset(admin, full());
    for (const about of [{}, full(), { label: { en: "Contracts", de: "Verträge" } }]) {
      expect((await update(admin, id, about)).reply.version).toBe(1);
    }
    expect(await eventsOf(platform, id)).toHaveLength(1);
  });

  test("of twenty writers at one version one wins", async () => {
    const { id } = await createAsset(admin);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => outcome(update(admin, id, { label: { en: `${index}` } }, ["1"]))),
    );
    expect(outcomes.filter((word) => word === "done")).toHaveLength(1);
    expect(outcomes.filter((word) => word === "stale")).toHaveLength(19);
  });
});

describe("deleting an asset", () => {
  test("hides it from everybody until it is restored as it was; an admin who sees it may ask for it", async () => {
    const before = await createAsset(admin, full());
    const { id } = before;
    await grant(admin, source, orgId);
    const member = platform.person({ orgId });
    expect((await get(member, id, true)).knowledge_asset?.id).toBe(id);
    expect(await remove(admin, id)).toEqual({ message: "Knowledge asset deleted" });
    for (const again of [get(admin, id), get(admin, id, false), remove(admin, id), update(admin, id, {})]) {
      expect(await outcome(again)).toBe("missing");
    }
    expect(await outcome(get(member, id, true))).toBe("missing");
    expect((await get(admin, id, true)).knowledge_asset).toEqual({ ...before, deleted: true });
    expect(await outcome(restore(member, id))).toBe("missing");
    expect((await restore(admin, id)).knowledge_asset).toEqual(before);
    expect((await refusal(restore(admin, id))).kind).toBe("conflict");
    expect((await eventsOf(platform, id)).map(({ type, sequence }) => [type, sequence])).toEqual([
      ["catalog.knowledge_asset.created", 1],
      ["catalog.knowledge_asset.deleted", 2],
      ["catalog.knowledge_asset.restored", 3],
    ]);
    await admin.ask(rpcs.deleteKnowledgeGrant, { knowledge_source_id: source, principal_id: orgId });
  });

  test("by many at once deletes once, and restoring restores once", async () => {
    const { id } = await createAsset(admin);
    const all = (act: () => Promise<unknown>) => Promise.all(Array.from({ length: 20 }, () => outcome(act())));
    const count = (words: string[], word: string) => words.filter((one) => one === word).length;
    const deletions = await all(() => remove(admin, id));
    expect([count(deletions, "done"), count(deletions, "missing")]).toEqual([1, 19]);
    const restorations = await all(() => restore(admin, id));
    expect([count(restorations, "done"), count(restorations, "conflict")]).toEqual([1, 19]);
  });
});

describe("who may do what", () => {
  const MANAGED = "KNOWLEDGE_ASSET_CATEGORY_MANAGED" as const;
  const EXTERNAL = "KNOWLEDGE_ASSET_CATEGORY_EXTERNAL" as const;
  const PERSONAL = "KNOWLEDGE_ASSET_CATEGORY_PERSONAL" as const;

  test("managed and external assets are created by admins, personal ones by everybody but guests", async () => {
    for (const role of ["member", "editor"] as const) {
      const person = platform.person({ orgId, role });
      for (const category of [MANAGED, EXTERNAL, undefined]) {
        expect(await refusal(createAsset(person, { category }))).toEqual({
          kind: "denied",
          at: ["category: forbidden"],
        });
      }
      expect(await outcome(createAsset(person, { category: PERSONAL }))).toBe("done");
    }
    const guest = platform.person({ orgId, useCaseId: newId("uc") });
    expect(await outcome(createAsset(guest, { category: PERSONAL }))).toBe("denied");
    expect(await outcome(platform.stranger().ask(rpcs.createKnowledgeAsset, assetCreation()))).toBe("unauthenticated");
  });

  test("an asset is changed by whoever maintains it; others learn that it exists where they see it", async () => {
    const creator = platform.person({ orgId });
    const holder = platform.person({ orgId, role: "editor" });
    const member = platform.person({ orgId });
    const foreigner = platform.person({ role: "admin" });
    const granted = await createSource(admin);
    await grant(admin, granted, holder.caller.principalId);
    const managed = (await createAsset(admin, { knowledge_source_ids: [granted] })).id;
    const external = (await createAsset(admin, { category: EXTERNAL })).id;
    const personal = (await createAsset(creator, { category: PERSONAL })).id;
    const table: [string, Person, string][] = [
      [managed, admin, "done"],
      [managed, platform.person({ orgId, role: "admin" }), "done"],
      [managed, holder, "denied"],
      [managed, member, "missing"],
      [managed, foreigner, "missing"],
      [external, admin, "done"],
      [external, member, "denied"],
      [external, foreigner, "missing"],
      [personal, creator, "done"],
      [personal, admin, "missing"],
      [personal, member, "missing"],
    ];
    for (const [id, person, expected] of table) {
      expect(await outcome(update(person, id, { load_page_assets: true }))).toBe(expected);
      expect(await outcome(restore(person, id))).toBe(expected === "done" ? "conflict" : expected);
      expect(await outcome(remove(person, id))).toBe(expected);
      if (expected === "done") expect(await outcome(restore(person, id))).toBe("done");
    }
  });

  test("only managed assets are read by their id, and only by who holds a grant, admins too", async () => {
    const other = platform.person({ orgId, role: "admin" });
    const { id } = await createAsset(admin, { knowledge_source_ids: [source] });
    expect(await outcome(get(admin, id))).toBe("done");
    expect(await outcome(get(other, id))).toBe("missing");
    expect(await outcome(get(platform.stranger(), id))).toBe("unauthenticated");
    for (const category of [EXTERNAL, PERSONAL]) {
      expect(await outcome(get(admin, (await createAsset(admin, { category })).id))).toBe("missing");
    }
    for (const unknown of [newId("ka"), "nothing"]) expect(await outcome(get(admin, unknown))).toBe("missing");
  });

  test("of its sources a reader is shown those held, an admin all", async () => {
    const holder = platform.person({ orgId });
    const [first, second, third] = [await createSource(admin), await createSource(admin), await createSource(admin)];
    await grant(admin, third, holder.caller.principalId);
    await grant(admin, first, holder.caller.principalId);
    const { id } = await createAsset(admin, { knowledge_source_ids: [third, second, first] });
    expect((await get(admin, id)).knowledge_asset?.knowledge_source_ids).toEqual([third, second, first]);
    expect((await get(holder, id)).knowledge_asset?.knowledge_source_ids).toEqual([third, first]);
    const { items } = await holder.ask(rpcs.listKnowledgeAssets, { category: MANAGED });
    expect(items.map((asset) => [asset.id, asset.knowledge_source_ids])).toEqual([[id, [third, first]]]);
  });
});
