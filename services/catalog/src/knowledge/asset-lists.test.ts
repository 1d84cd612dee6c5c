import { newId } from "@assistant/kit/process/id.js";
import { KnowledgeServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createAsset, createSource, grant, seenBy } from "../testing/knowledge-verbs.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { createUseCase, refusal } from "../testing/verbs.js";

const MANAGED = "KNOWLEDGE_ASSET_CATEGORY_MANAGED" as const;
const EXTERNAL = "KNOWLEDGE_ASSET_CATEGORY_EXTERNAL" as const;
const PERSONAL = "KNOWLEDGE_ASSET_CATEGORY_PERSONAL" as const;

let platform: Platform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

/** An org with assets of all categories, their ids the newest first. */
async function openArchive() {
  const admin = platform.person({ role: "admin" });
  const member = platform.person({ orgId: admin.caller.orgId });
  const sources = [await createSource(admin), await createSource(admin)];
  for (const id of sources) await grant(admin, id, member.caller.principalId);
  const ids: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const label = { en: `Round ${round}`, de: "Größe 50%" };
    ids.unshift((await createAsset(admin, { label, knowledge_source_ids: sources })).id);
    ids.unshift((await createAsset(admin, { label, category: EXTERNAL })).id);
    ids.unshift((await createAsset(member, { description: label, category: PERSONAL })).id);
    await createAsset(admin, { label, category: PERSONAL });
    await createAsset(admin, { label });
  }
  return { admin, member, ids };
}

async function pagesOf(person: Person, about: object, page_size: number): Promise<string[][]> {
  const pages: string[][] = [];
  let page_token: string | undefined;
  do {
    const page = await person.ask(rpcs.listKnowledgeAssets, { ...about, page_size, page_token });
    pages.push(page.items.map(({ id }) => id));
    page_token = page.next_page_token;
  } while (page_token !== undefined);
  return pages;
}

describe("the list of assets", () => {
  test("holds all categories newest first, each asset once, whatever the size of a page", async () => {
    const { member, ids } = await openArchive();
    for (const size of [1, 2, 4, 9, 200]) {
      const pages = await pagesOf(member, {}, size);
      expect(pages.flat()).toEqual(ids);
      expect(pages.slice(0, -1).every((page) => page.length === size)).toBe(true);
    }
  });

  test("holds one category, or what contains a text in any language, where that is asked for", async () => {
    const { member, ids } = await openArchive();
    for (const [category, place] of [
      [MANAGED, 2],
      [EXTERNAL, 1],
      [PERSONAL, 0],
    ] as const) {
      const wanted = ids.filter((_, index) => index % 3 === place);
      expect((await pagesOf(member, { category }, 2)).flat()).toEqual(wanted);
      expect((await pagesOf(member, { category, text: "GRÖSSE 50%" }, 2)).flat()).toEqual([]);
      expect((await pagesOf(member, { category, text: "gRÖßE 50%" }, 2)).flat()).toEqual(wanted);
    }
    expect((await pagesOf(member, { text: "round 1" }, 2)).flat()).toEqual(ids.slice(3, 6));
    expect((await pagesOf(member, { text: "no such text" }, 2)).flat()).toEqual([]);
  });

  test("leaves out what is deleted or loses its grant, and shows it again after", async () => {
    const { admin, member, ids } = await openArchive();
    const [, , managed = ""] = ids;
    await admin.ask(rpcs.deleteKnowledgeAsset, { knowledge_asset_id: managed });
    expect(await seenBy(member)).toEqual(ids.filter((id) => id !== managed));
    await admin.ask(rpcs.restoreKnowledgeAsset, { knowledge_asset_id: managed });
    expect(await seenBy(member)).toEqual(ids);
  });

  test("has a page token that opens nothing but the same list of the same reader", async () => {
    const { admin, member } = await openArchive();
    const { next_page_token: page_token } = await member.ask(rpcs.listKnowledgeAssets, { page_size: 2 });
    for (const asked of [
      admin.ask(rpcs.listKnowledgeAssets, { page_token }),
      member.ask(rpcs.listKnowledgeAssets, { page_token, category: MANAGED }),
      member.ask(rpcs.listKnowledgeAssets, { page_token: `${page_token}A` }),
    ]) {
      expect(await refusal(asked)).toEqual({ kind: "invalid", at: ["page_token: page_token_invalid"] });
    }
  });

  test("takes 1 to 200 assets on a page", async () => {
    const member = platform.person();
    const ask = (page_size: number) => member.ask(rpcs.listKnowledgeAssets, { page_size });
    expect((await refusal(ask(0))).at).toEqual(["page_size: greater_than_equal"]);
    expect((await refusal(ask(201))).at).toEqual(["page_size: less_than_equal"]);
    expect((await ask(200)).items).toEqual([]);
  });
});

describe("a guest", () => {
  test("sees what is attached to the use case and granted to the org, and nothing once the use case is deleted", async () => {
    const { admin, ids } = await openArchive();
    const { orgId } = admin.caller;
    const source = await createSource(admin);
    await grant(admin, source, orgId);
    const shared = (await createAsset(admin, { knowledge_source_ids: [source] })).id;
    const [personal = "", external = "", hidden = ""] = ids;
    const useCase = await createUseCase(admin);
    const attach = `insert into use_case_assets (use_case_id, asset_id, position) values ($1, $2, 1)`;
    for (const id of [personal, external, hidden, shared]) await platform.db.query("attach", attach, [useCase.id, id]);
    const visit = (useCaseId: string) =>
      platform.person({ orgId, kind: "service_account", principalId: newId("sva"), useCaseId });
    const guest = visit(useCase.id);
    expect(await seenBy(guest)).toEqual([shared, external]);
    const found = await guest.ask(rpcs.getKnowledgeAsset, { knowledge_asset_id: shared });
    expect(found.knowledge_asset?.knowledge_source_ids).toEqual([source]);
    const other = visit((await createUseCase(admin)).id);
    expect(await seenBy(other)).toEqual([]);
    const refused = await refusal(other.ask(rpcs.getKnowledgeAsset, { knowledge_asset_id: shared }));
    expect(refused.kind).toBe("missing");
    await platform.db.query("delete_use_case", "update use_cases set deleted_at = now() where id = $1", [useCase.id]);
    expect(await seenBy(guest)).toEqual([]);
  });
});
