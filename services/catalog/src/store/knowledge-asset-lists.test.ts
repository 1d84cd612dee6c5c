import { openPostgres, type Postgres } from "@assistant/kit/database/postgres.js";
import { newId } from "@assistant/kit/process/id.js";
import { createTestDatabase, quiet, type TestDatabase } from "@assistant/kit/testing.js";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  type KnowledgeAssetFilter,
  listKnowledgeAssets,
  mergeKnowledgeAssets,
  walkKnowledgeAssets,
} from "./knowledge-asset-lists.js";
import type { KnowledgeAssetCategory, SeenAssetRow } from "./knowledge-assets.js";
import { migrations } from "./migrations/index.js";

const SOURCES = 6;
const ASSETS = 120;
const WORDS = ["contract", "manual"] as const;
const PRINCIPALS = ["me", "group", "org", "stranger"] as const;
/** More than any of these worlds can take. */
const LOOKS = 10_000;

interface World {
  /** Of each source. */
  grants: (typeof PRINCIPALS)[number][][];
  assets: {
    category: KnowledgeAssetCategory;
    isMine: boolean;
    sources: number[];
    isDeleted: boolean;
    word: (typeof WORDS)[number];
    isAttached: boolean;
  }[];
}

interface Asked {
  category?: KnowledgeAssetCategory | undefined;
  text?: (typeof WORDS)[number] | undefined;
  /** After so many of the assets that there are. */
  after?: number | undefined;
  pageSize: number;
  knowsAllSources: boolean;
}

const worlds: fc.Arbitrary<World> = fc.record({
  grants: fc.array(fc.uniqueArray(fc.constantFrom(...PRINCIPALS), { maxLength: 2 }), {
    minLength: SOURCES,
    maxLength: SOURCES,
  }),
  assets: fc.array(
    fc.record({
      category: fc.constantFrom<KnowledgeAssetCategory>("managed", "managed", "managed", "personal", "external"),
      isMine: fc.boolean(),
      sources: fc.uniqueArray(fc.nat({ max: SOURCES - 1 }), { maxLength: 4 }),
      isDeleted: fc.nat({ max: 5 }).map((chance) => chance === 0),
      word: fc.constantFrom(...WORDS),
      isAttached: fc.boolean(),
    }),
    { minLength: ASSETS, maxLength: ASSETS },
  ),
});

const asked: fc.Arbitrary<Asked> = fc.record({
  category: fc.constantFrom(undefined, undefined, "managed", "personal", "external"),
  text: fc.constantFrom(undefined, undefined, ...WORDS),
  after: fc.option(fc.nat({ max: ASSETS - 1 }), { nil: undefined }),
  pageSize: fc.integer({ min: 1, max: 60 }),
  knowsAllSources: fc.boolean(),
});

let database: TestDatabase;
let db: Postgres;
beforeAll(async () => {
  database = await createTestDatabase(migrations);
  db = openPostgres({ url: database.url, poolMax: 4, log: quiet });
});
afterAll(async () => {
  await db.close();
  await database.close();
});

test("every way to read a page answers what is visible, or gives up", async () => {
  let walked = 0;
  const property = fc.asyncProperty(
    worlds,
    fc.array(asked, { minLength: 8, maxLength: 8 }),
    async (world, questions) => {
      const built = await build(world);
      for (const question of questions) {
        const filter = filterOf(built, question);
        const expected = expectedPage(world, built, question);
        expect(shown(await mergeKnowledgeAssets(db, filter))).toEqual(expected);
        expect(shown(await listKnowledgeAssets(db, filter))).toEqual(expected);
        expect(shown(await mergeKnowledgeAssets(db, forGuest(built, filter)))).toEqual(
          expectedPage(world, built, question, true),
        );
        if (question.category !== undefined && question.category !== "managed") continue;
        const whole = await walkKnowledgeAssets(db, filter, LOOKS);
        expect(whole && shown(whole)).toEqual(expected.rows.length === 0 ? undefined : expected);
        const brief = await walkKnowledgeAssets(db, filter, question.pageSize * 3);
        expect(brief && shown(brief)).toEqual(brief && expected);
        walked += brief === undefined ? 0 : 1;
      }
    },
  );
  await fc.assert(property, { numRuns: 40, endOnFailure: true });
  expect(walked).toBeGreaterThan(10);
});

test("whoever holds very many grants is shown the same", async () => {
  const category = "managed";
  const one = { category, isMine: false, isDeleted: false, word: "manual", isAttached: false } as const;
  const assets = Array.from({ length: ASSETS }, (_, index) => ({ ...one, sources: [index % SOURCES] }));
  const world: World = { grants: Array.from({ length: SOURCES }, (_, index) => (index === 2 ? [] : ["me"])), assets };
  const built = await build(world);
  await hold(built, 1_100);
  for (const pageSize of [1, 50, 99, 100, 101, 200]) {
    for (const after of [undefined, 0, 19, 118]) {
      const question = { pageSize, after, knowsAllSources: false };
      const page = shown(await listKnowledgeAssets(db, filterOf(built, question)));
      expect(page).toEqual(expectedPage(world, built, question));
    }
  }
});

interface Built {
  orgId: string;
  principals: Record<(typeof PRINCIPALS)[number], string>;
  useCaseId: string;
  sources: string[];
  assets: string[];
}

async function build({ grants, assets }: World): Promise<Built> {
  const orgId = newId("org");
  const principals = { me: newId("usr"), group: newId("grp"), org: orgId, stranger: newId("usr") };
  const useCaseId = newId("uc");
  const built: Built = { orgId, principals, useCaseId, sources: newIds("ks", SOURCES), assets: newIds("ka", ASSETS) };
  await insert(
    "knowledge_sources",
    built.sources.map((id) => ({ id, org_id: orgId, name: "A source", version: 1 })),
  );
  await insert(
    "knowledge_grants",
    grants.flatMap((names, source) =>
      names.map((name) => grantOn(built, built.sources[source] ?? "", principals[name])),
    ),
  );
  await insert(
    "knowledge_assets",
    assets.map((_, index) => assetRow(built, assets, index)),
  );
  await insert("use_cases", [{ ...EMPTY_USE_CASE, id: useCaseId, org_id: orgId }]);
  const attached = assets.flatMap(({ isAttached }, index) => (isAttached ? [built.assets[index]] : []));
  await insert(
    "use_case_assets",
    attached.map((asset_id) => ({ use_case_id: useCaseId, asset_id, position: 1 })),
  );
  return built;
}

/** Newer ids are greater, and these are made faster than the clock goes: sorted, the first is the oldest. */
function newIds(prefix: string, count: number): string[] {
  return Array.from({ length: count }, () => newId(prefix)).sort();
}

function grantOn({ orgId }: Built, source_id: string, principal_id: string) {
  return { source_id, principal_id, org_id: orgId, principal_version: 1 };
}

const EMPTY_USE_CASE = {
  label: {},
  description: {},
  sync_connectors: [],
  credential_ids: [],
  sync_connectors_enabled_user_credentials: [],
  version: 1,
};

function assetRow({ orgId, principals, sources, assets: ids }: Built, assets: World["assets"], index: number) {
  const asset = assets[index];
  return {
    id: ids[index],
    org_id: orgId,
    category: asset?.category,
    created_by: asset?.isMine ? principals.me : principals.stranger,
    label: { en: "An asset", de: `Ein ${asset?.word}` },
    description: {},
    knowledge_source_ids: asset?.sources.map((source) => sources[source]),
    is_selected_by_default: false,
    rerank_top_n: 20,
    chunk_reranker_threshold: 0.3,
    icon_filename: "",
    fallback_strategy_tool_ids: [],
    load_page_assets: false,
    download_disabled: false,
    version: 1,
    deleted_at: asset?.isDeleted ? "2026-01-01" : null,
  };
}

async function insert(table: string, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(", ");
  const text = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`;
  if (rows.length > 0) await db.query(`insert_${table}`, text, [JSON.stringify(rows)]);
}

/** Grants on many other sources, which no asset has. */
async function hold(built: Built, count: number): Promise<void> {
  const ids = newIds("ks", count);
  await insert(
    "knowledge_sources",
    ids.map((id) => ({ id, org_id: built.orgId, name: "Another", version: 1 })),
  );
  await insert(
    "knowledge_grants",
    ids.map((id) => grantOn(built, id, built.principals.me)),
  );
}

function filterOf({ orgId, principals, assets }: Built, question: Asked): KnowledgeAssetFilter {
  const { after, knowsAllSources, ...rest } = question;
  const principalIds = [principals.me, principals.group, principals.org];
  const sight = { orgId, principalId: principals.me, principalIds, knowsAllSources, useCaseId: undefined };
  return { ...rest, sight, before: after === undefined ? undefined : assets[ASSETS - 1 - after] };
}

function forGuest({ useCaseId }: Built, filter: KnowledgeAssetFilter): KnowledgeAssetFilter {
  return { ...filter, sight: { ...filter.sight, useCaseId } };
}

/** The table of rights in a few plain lines. */
function visible({ grants, assets }: World, { category, text, after }: Asked): { index: number; holding: number[] }[] {
  const holds = (source: number) => grants[source]?.some((name) => name !== "stranger") ?? false;
  return assets
    .map((asset, index) => ({ ...asset, index, holding: asset.sources.filter(holds) }))
    .filter((asset) => !asset.isDeleted && (category ?? asset.category) === asset.category)
    .filter((asset) => asset.category !== "personal" || asset.isMine)
    .filter((asset) => asset.category !== "managed" || asset.holding.length > 0)
    .filter((asset) => (text ?? asset.word) === asset.word)
    .filter(({ index }) => after === undefined || index < ASSETS - 1 - after)
    .reverse();
}

function expectedPage(world: World, { sources, assets }: Built, question: Asked, isGuest = false) {
  const all = visible(world, question).filter(({ index }) => !isGuest || world.assets[index]?.isAttached);
  const rows = all.slice(0, question.pageSize).map(({ index, holding }) => {
    const shownSources = question.knowsAllSources ? (world.assets[index]?.sources ?? []) : holding;
    return { id: assets[index], sources: shownSources.map((source) => sources[source]) };
  });
  return { rows, more: all.length > question.pageSize };
}

function shown({ rows, more }: { rows: readonly SeenAssetRow[]; more: boolean }) {
  return { rows: rows.map(({ id, visible_source_ids }) => ({ id, sources: [...visible_source_ids] })), more };
}
