import type { Caller } from "@assistant/kit/caller/caller.js";
import { newId } from "@assistant/kit/process/id.js";
import { GuidedFieldsServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/guided_fields_service.js";
import { CatalogServiceService } from "@assistant/proto/assistant/catalog/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createAssetField, createField, fieldChange, newField } from "../testing/guided-fields.js";
import { createAsset, createSource, grant } from "../testing/knowledge-verbs.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { createUseCase, outcome } from "../testing/verbs.js";

let platform: Platform;
let admin: Person;
let member: Person;
let orgId: string;
let useCaseId: string;
let managedId: string;
let externalId: string;
let personalId: string;

beforeAll(async () => {
  platform = await openPlatform();
  admin = platform.person({ role: "admin" });
  ({ orgId } = admin.caller);
  member = platform.person({ orgId });
  useCaseId = (await createUseCase(admin)).id;
  const source = await createSource(admin);
  platform.addPrincipal(member.caller.principalId, orgId);
  await grant(admin, source, member.caller.principalId);
  managedId = (await createAsset(admin, { knowledge_source_ids: [source] })).id;
  externalId = (await createAsset(admin, { category: "KNOWLEDGE_ASSET_CATEGORY_EXTERNAL" })).id;
  personalId = (await createAsset(member, { category: "KNOWLEDGE_ASSET_CATEGORY_PERSONAL" })).id;
});
afterAll(() => platform.close());

/** What becomes of everything that somebody asks of the fields of a use case. */
async function outcomes(person: Person, use_case_id: string) {
  const { id: field_id } = await createField(admin, useCaseId, { name: newId("name") });
  const owned = { use_case_id, field_id };
  const guided_search_field = newField({ name: newId("name") });
  const values = "{}";
  return {
    list: await outcome(person.ask(rpcs.listUseCaseFields, { use_case_id })),
    get: await outcome(person.ask(rpcs.getUseCaseField, owned)),
    render: await outcome(person.ask(rpcs.renderUseCaseFields, { use_case_id, values })),
    create: await outcome(person.ask(rpcs.createUseCaseField, { use_case_id, guided_search_field })),
    order: await outcome(person.ask(rpcs.reorderUseCaseFields, { use_case_id, guided_search_field_ids: ["x"] })),
    update: await outcome(
      person.ask(rpcs.updateUseCaseField, { ...owned, guided_search_field: fieldChange({ required: false }) }),
    ),
    remove: await outcome(person.ask(rpcs.deleteUseCaseField, owned)),
  };
}

const read = { list: "done", get: "done", render: "done" };
const write = { create: "done", order: "invalid", update: "done", remove: "done" };
const all = (word: string) => ({
  ...{ list: word, get: word, render: word },
  ...{ create: word, order: word, update: word, remove: word },
});
const noWrite = { create: "denied", order: "denied", update: "denied", remove: "denied" };

const rows: [who: string, about: () => Partial<Caller>, expected: object][] = [
  ["an admin", () => ({ orgId, role: "admin" }), { ...read, ...write }],
  ["an editor", () => ({ orgId, role: "editor" }), { ...read, ...write }],
  ["a member", () => ({ orgId, role: "member" }), { ...read, ...noWrite }],
  ["an admin of another org", () => ({ role: "admin" }), all("missing")],
  ["a guest of the use case", () => ({ orgId, role: "admin", useCaseId }), { ...read, ...noWrite }],
  ["a guest of another one", () => ({ orgId, useCaseId: newId("uc") }), { ...all("missing"), ...noWrite }],
];

test.each(rows)("%s does with the fields of a use case what its role says", async (_, about, expected) => {
  expect(await outcomes(platform.person(about()), useCaseId)).toEqual(expected);
});

test("nobody knows the fields of a deleted use case", async () => {
  const { id: use_case_id } = await createUseCase(admin);
  await admin.ask(CatalogServiceService.deleteUseCase, { use_case_id });
  expect(await outcomes(admin, use_case_id)).toEqual(all("missing"));
});

test("without a token nothing is answered", async () => {
  expect(await outcomes(platform.stranger(), useCaseId)).toEqual(all("unauthenticated"));
});

describe("the fields of an asset", () => {
  const outsider = () => platform.person({ orgId, role: "editor" });
  const list = (person: Person, knowledge_asset_id: string) =>
    outcome(person.ask(rpcs.listKnowledgeAssetFields, { knowledge_asset_id }));
  const create = (person: Person, id: string) => outcome(createAssetField(person, id, { name: newId("name") }));

  test("are read by who sees the asset and written by who maintains it", async () => {
    const [editor, foreigner] = [outsider(), platform.person({ role: "admin" })];
    const found = [];
    for (const id of [managedId, externalId, personalId]) {
      for (const person of [admin, editor, member, foreigner]) {
        found.push(`${await list(person, id)} ${await create(person, id)}`);
      }
    }
    expect(found).toEqual([
      ...["done done", "missing missing", "done denied", "missing missing"],
      ...["done done", "done denied", "done denied", "missing missing"],
      ...["missing missing", "missing missing", "done done", "missing missing"],
    ]);
  });

  test("are all closed to those who only see the asset", async () => {
    const { id: field_id } = await createAssetField(admin, managedId, { name: "closed" });
    const owned = { knowledge_asset_id: managedId, field_id };
    expect(await outcome(member.ask(rpcs.getKnowledgeAssetField, owned))).toBe("done");
    for (const asked of [
      member.ask(rpcs.updateKnowledgeAssetField, { ...owned, guided_search_field: fieldChange({ required: true }) }),
      member.ask(rpcs.deleteKnowledgeAssetField, owned),
      member.ask(rpcs.deleteChosenKnowledgeAssetField, { ...owned, guided_search_field_id: field_id }),
      member.ask(rpcs.reorderKnowledgeAssetFields, { ...owned, guided_search_field_ids: [field_id] }),
    ]) {
      expect(await outcome(asked)).toBe("denied");
    }
  });

  test("are not reached by the id of another kind of owner", async () => {
    expect(await list(admin, useCaseId)).toBe("missing");
    expect(await outcome(admin.ask(rpcs.listUseCaseFields, { use_case_id: managedId }))).toBe("missing");
  });
});
