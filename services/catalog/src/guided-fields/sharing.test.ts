import { GuidedFieldsServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/guided_fields_service.js";
import { KnowledgeServiceService } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createAssetField, createField, fieldChange, fieldIds } from "../testing/guided-fields.js";
import { createAsset, createSource } from "../testing/knowledge-verbs.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { createUseCase, eventsOf, faultOf, refusal } from "../testing/verbs.js";
import { detachAll, fieldIdsOf } from "./attachments.js";

let platform: Platform;
let admin: Person;
let editor: Person;
let use_case_id: string;
let knowledge_asset_id: string;

beforeAll(async () => {
  platform = await openPlatform();
});
beforeEach(async () => {
  admin = platform.person({ role: "admin" });
  editor = platform.person({ orgId: admin.caller.orgId, role: "editor" });
  use_case_id = (await createUseCase(admin)).id;
  knowledge_asset_id = (await createAsset(admin, { category: "KNOWLEDGE_ASSET_CATEGORY_EXTERNAL" })).id;
});
afterAll(() => platform.close());

const assetField = (field_id: string) => admin.ask(rpcs.getKnowledgeAssetField, { knowledge_asset_id, field_id });
const remove = (guided_search_field_id?: string, beside = {}) =>
  admin.ask(rpcs.deleteChosenKnowledgeAssetField, { knowledge_asset_id, guided_search_field_id }, beside);

describe("a field that is created again elsewhere with its id and content", () => {
  test("is attached there too, as one field for both", async () => {
    const field = await createField(admin, use_case_id, { id: "shared" });
    expect(await createAssetField(admin, knowledge_asset_id, { id: "shared" })).toEqual(field);
    const request = { use_case_id, field_id: "shared", guided_search_field: fieldChange({ name: "renamed" }) };
    await admin.ask(rpcs.updateUseCaseField, request);
    expect((await assetField("shared")).guided_search_field?.name).toBe("renamed");
    const types = (await eventsOf(platform, "shared")).filter(({ org_id }) => org_id === admin.caller.orgId);
    expect(types.map(({ type, sequence, data }) => ({ type, sequence, data }))).toEqual([
      {
        type: "catalog.guided_field.created",
        sequence: 1,
        data: { id: "shared", type: "text", owner_kind: "use_case", owner_id: use_case_id },
      },
      {
        type: "catalog.guided_field.attached",
        sequence: 2,
        data: { id: "shared", type: "text", owner_kind: "knowledge_asset", owner_id: knowledge_asset_id },
      },
      { type: "catalog.guided_field.updated", sequence: 3, data: { id: "shared", type: "text" } },
    ]);
  });

  test("is neither attached nor confirmed for those who may not write it where it is", async () => {
    await createAssetField(admin, knowledge_asset_id, { id: "admins" });
    const same = await refusal(createField(editor, use_case_id, { id: "admins" }));
    const other = await refusal(createField(editor, use_case_id, { id: "admins", name: "guess" }));
    expect(same).toEqual({ kind: "conflict", at: ["guided_search_field.id: conflict"] });
    expect(other).toEqual(same);
    const personal = (await createAsset(editor, { category: "KNOWLEDGE_ASSET_CATEGORY_PERSONAL" })).id;
    await createAssetField(editor, personal, { id: "mine" });
    expect((await faultOf(createField(admin, use_case_id, { id: "mine" }))).kind).toBe("conflict");
    expect(await fieldIds(admin, use_case_id)).toEqual([]);
  });

  test("is refused where its name is another field's", async () => {
    await createField(admin, use_case_id, { id: "one" });
    await createAssetField(admin, knowledge_asset_id, { id: "two" });
    const taken = await refusal(createAssetField(admin, knowledge_asset_id, { id: "one" }));
    expect(taken).toEqual({ kind: "conflict", at: ["guided_search_field.name: conflict"] });
  });
});

describe("a shared field", () => {
  beforeEach(async () => {
    await createField(admin, use_case_id, { id: "both" });
    await createAssetField(admin, knowledge_asset_id, { id: "both" });
  });

  test("is changed by those alone who may write it everywhere, and taken away by those who may write one", async () => {
    const request = { use_case_id, field_id: "both", guided_search_field: fieldChange({ required: true }) };
    expect((await faultOf(editor.ask(rpcs.updateUseCaseField, request))).kind).toBe("denied");
    const answer = await editor.ask(rpcs.deleteUseCaseField, { use_case_id, field_id: "both" });
    expect(answer).toEqual({ message: "Guided search field detached" });
    expect(await fieldIds(admin, use_case_id)).toEqual([]);
    expect((await assetField("both")).guided_search_field?.required).toBe(false);
  });

  test("takes no name that any of its owners has", async () => {
    await createAssetField(admin, knowledge_asset_id, { name: "taken" });
    const request = { use_case_id, field_id: "both", guided_search_field: fieldChange({ name: "taken" }) };
    expect(await refusal(admin.ask(rpcs.updateUseCaseField, request))).toEqual({
      kind: "conflict",
      at: ["guided_search_field.name: conflict"],
    });
  });

  test("is only detached when it is deleted, until its last owner", async () => {
    expect(await remove("both")).toEqual({ message: "Guided search field detached" });
    expect((await eventsOf(platform, "both")).at(-1)).toMatchObject({
      type: "catalog.guided_field.detached",
      data: { owner_kind: "knowledge_asset", owner_id: knowledge_asset_id },
    });
    const request = { use_case_id, field_id: "both" };
    expect(await admin.ask(rpcs.deleteUseCaseField, request)).toEqual({ message: "Guided search field deleted" });
  });
});

describe("deleting the field of an asset", () => {
  test("needs no id where there is one, the id where there are several, and something to delete", async () => {
    expect((await faultOf(remove())).kind).toBe("missing");
    const { id } = await createAssetField(admin, knowledge_asset_id, { name: "a" });
    const other = await createAssetField(admin, knowledge_asset_id, { name: "b" });
    expect(await refusal(remove())).toEqual({ kind: "invalid", at: ["guided_search_field_id: missing"] });
    expect((await faultOf(remove("unknown"))).kind).toBe("missing");
    expect((await faultOf(remove(id, { ifMatch: ["2"] }))).kind).toBe("stale");
    expect(await remove(id)).toEqual({ message: "Guided search field deleted" });
    await remove();
    expect((await faultOf(assetField(other.id))).kind).toBe("missing");
  });
});

describe("an asset", () => {
  test("is another version with its fields in it", async () => {
    const knowledge_source_ids = [await createSource(admin)];
    const knowledge_asset_id = (await createAsset(admin, { knowledge_source_ids })).id;
    const asset = async () => {
      const { answer, reply } = await admin.exchange(KnowledgeServiceService.getKnowledgeAsset, { knowledge_asset_id });
      return [reply.version, answer.knowledge_asset?.guided_search_field_ids];
    };
    const { id: a } = await createAssetField(admin, knowledge_asset_id, { name: "a" });
    const { id: b } = await createAssetField(admin, knowledge_asset_id, { name: "b" });
    expect(await asset()).toEqual([3, [a, b]]);
    const guided_search_field_ids = [b, a];
    await admin.ask(rpcs.reorderKnowledgeAssetFields, { knowledge_asset_id, guided_search_field_ids });
    expect(await asset()).toEqual([4, [b, a]]);
    await admin.ask(rpcs.deleteKnowledgeAssetField, { knowledge_asset_id, field_id: a });
    expect(await asset()).toEqual([5, [b]]);
  });

  test("that gives up all its fields deletes those that nothing else has, and detaches the others", async () => {
    await createField(admin, use_case_id, { id: "kept" });
    await createAssetField(admin, knowledge_asset_id, { id: "kept" });
    await createAssetField(admin, knowledge_asset_id, { id: "own", name: "own" });
    const { orgId } = admin.caller;
    const ids = () => fieldIdsOf(platform.db, orgId, "knowledge_asset", [knowledge_asset_id, use_case_id]);
    expect(await ids()).toEqual(new Map([[knowledge_asset_id, ["kept", "own"]]]));
    const origin = { actorId: admin.caller.principalId, requestId: "r", traceparent: "t" };
    await platform.db.transaction(origin, (tx) => detachAll(tx, orgId, "knowledge_asset", knowledge_asset_id));
    expect(await ids()).toEqual(new Map());
    expect(await fieldIds(admin, use_case_id)).toEqual(["kept"]);
    expect((await eventsOf(platform, "own")).at(-1)?.type).toBe("catalog.guided_field.deleted");
    expect((await eventsOf(platform, "kept")).at(-1)?.type).toBe("catalog.guided_field.detached");
  });
});
