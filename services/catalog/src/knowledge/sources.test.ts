import { newId } from "@assistant/kit/process/id.js";
import { KnowledgeServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createAsset, createSource, grant } from "../testing/knowledge-verbs.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { eventsOf, outcome, refusal } from "../testing/verbs.js";

let platform: Platform;
let admin: Person;
beforeAll(async () => {
  platform = await openPlatform();
  admin = platform.person({ role: "admin" });
});
afterAll(() => platform.close());

const get = (person: Person, knowledge_source_id: string) =>
  person.ask(rpcs.getKnowledgeSource, { knowledge_source_id });

describe("creating a knowledge source", () => {
  test("grants it to the creator, with events that do not tell its name", async () => {
    const { answer, reply } = await admin.exchange(rpcs.createKnowledgeSource, { name: "Personnel files" });
    const id = answer.knowledge_source?.id ?? "";
    expect(answer).toEqual({
      knowledge_source: { id: expect.stringMatching(/^ks_[0-9a-z]{26}$/), name: "Personnel files" },
    });
    expect(reply.version).toBe(1);
    expect(await get(admin, id)).toEqual(answer);
    const { orgId: org_id, principalId: actor_id } = admin.caller;
    const grants = await admin.ask(rpcs.listKnowledgeGrants, { knowledge_source_id: id });
    expect(grants.items).toEqual([{ principal_id: actor_id }]);
    expect(await eventsOf(platform, id)).toEqual([
      { type: "catalog.knowledge_source.created", org_id, sequence: 1, actor_id, data: { id } },
    ]);
    const [granted] = await eventsOf(platform, `${id}/${actor_id}`);
    expect(granted).toMatchObject({
      type: "catalog.knowledge_grant.created",
      data: { knowledge_source_id: id, principal_id: actor_id },
    });
  });

  test("twice with one key creates one", async () => {
    const person = platform.person({ role: "admin" });
    const idempotencyKey = newId("key");
    const create = () => person.ask(rpcs.createKnowledgeSource, { name: "Once" }, { idempotencyKey });
    expect(await create()).toEqual(await create());
    expect((await person.ask(rpcs.listKnowledgeSources, {})).items).toHaveLength(1);
  });
});

describe("updating a knowledge source", () => {
  test("renames it as one version, and nothing else makes a version", async () => {
    const id = await createSource(admin);
    const update = (name?: string, ifMatch?: string[]) =>
      admin.exchange(rpcs.updateKnowledgeSource, { knowledge_source_id: id, name }, ifMatch && { ifMatch });
    expect((await update("Renamed")).reply.version).toBe(2);
    expect((await update("Renamed")).reply.version).toBe(2);
    expect((await update()).answer.knowledge_source?.name).toBe("Renamed");
    expect(await outcome(update("Late", ["1"]))).toBe("stale");
  });
});

describe("deleting a knowledge source", () => {
  test("takes its grants away and it out of every asset, deleted ones too, each with an event", async () => {
    const [id, other] = [await createSource(admin), await createSource(admin)];
    const asset = await createAsset(admin, { knowledge_source_ids: [id, other] });
    const gone = await createAsset(admin, { knowledge_source_ids: [id] });
    await admin.ask(rpcs.deleteKnowledgeAsset, { knowledge_asset_id: gone.id });
    const answer = await admin.ask(rpcs.deleteKnowledgeSource, { knowledge_source_id: id });
    expect(answer).toEqual({ message: "Knowledge source deleted" });
    expect(await outcome(get(admin, id))).toBe("missing");
    expect(await outcome(admin.ask(rpcs.deleteKnowledgeSource, { knowledge_source_id: id }))).toBe("missing");
    const found = await admin.exchange(rpcs.getKnowledgeAsset, { knowledge_asset_id: asset.id });
    expect(found.answer.knowledge_asset?.knowledge_source_ids).toEqual([other]);
    expect(found.reply.version).toBe(2);
    const { answer: restored } = await admin.exchange(rpcs.restoreKnowledgeAsset, { knowledge_asset_id: gone.id });
    expect(restored.knowledge_asset?.knowledge_source_ids).toEqual([]);
    const types = (await eventsOf(platform, `${id}/${admin.caller.principalId}`)).map(({ type }) => type);
    expect(types).toEqual(["catalog.knowledge_grant.created", "catalog.knowledge_grant.deleted"]);
    const [, updated] = await eventsOf(platform, asset.id);
    expect(updated).toMatchObject({
      type: "catalog.knowledge_asset.updated",
      data: { id: asset.id, category: "managed", knowledge_source_ids: [other] },
    });
  });

  test("while assets take it up leaves no asset with it", async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await createSource(admin);
      const creations = Array.from({ length: 10 }, () => outcome(createAsset(admin, { knowledge_source_ids: [id] })));
      const [deleted, ...created] = await Promise.all([
        outcome(admin.ask(rpcs.deleteKnowledgeSource, { knowledge_source_id: id })),
        ...creations,
      ]);
      expect(deleted).toBe("done");
      expect(created.filter((word) => word !== "done" && word !== "invalid")).toEqual([]);
      const text = "select id from knowledge_assets where knowledge_source_ids @> array[$1]";
      expect(await platform.db.query("left_with_source", text, [id])).toEqual([]);
      const placed = "select asset_id from knowledge_asset_sources where source_id = $1";
      expect(await platform.db.query("left_in_source", placed, [id])).toEqual([]);
    }
  });
});

describe("knowledge sources are managed by admins", () => {
  test("whoever holds a grant knows of one but may not touch it; nobody else knows of it", async () => {
    const { orgId } = admin.caller;
    const id = await createSource(admin);
    const [holder, editor] = [platform.person({ orgId }), platform.person({ orgId, role: "editor" })];
    await grant(admin, id, holder.caller.principalId);
    const stranger = platform.person({ role: "admin" });
    for (const [person, expected] of [
      [holder, "denied"],
      [editor, "missing"],
      [stranger, "missing"],
    ] as const) {
      const about = { knowledge_source_id: id };
      const principal_id = person.caller.principalId;
      expect(await outcome(get(person, id))).toBe(expected);
      expect(await outcome(person.ask(rpcs.updateKnowledgeSource, { ...about, name: "X" }))).toBe(expected);
      expect(await outcome(person.ask(rpcs.listKnowledgeGrants, about))).toBe(expected);
      expect(await outcome(person.ask(rpcs.createKnowledgeGrant, { ...about, principal_id }))).toBe(expected);
      expect(await outcome(person.ask(rpcs.getKnowledgeGrant, { ...about, principal_id }))).toBe(expected);
      expect(await outcome(person.ask(rpcs.deleteKnowledgeGrant, { ...about, principal_id }))).toBe(expected);
      expect(await outcome(person.ask(rpcs.deleteKnowledgeSource, about))).toBe(expected);
    }
    expect(await outcome(editor.ask(rpcs.createKnowledgeSource, { name: "X" }))).toBe("denied");
    expect(await outcome(holder.ask(rpcs.listKnowledgeSources, {}))).toBe("denied");
    const guest = platform.person({ orgId, role: "admin", useCaseId: newId("uc") });
    expect(await outcome(get(guest, id))).toBe("denied");
    expect(await outcome(platform.stranger().ask(rpcs.listKnowledgeSources, {}))).toBe("unauthenticated");
  });
});

describe("the list of knowledge sources", () => {
  test("holds those of the org, newest first, page by page, and those alone whose name contains a text", async () => {
    const person = platform.person({ role: "admin" });
    const ids = [];
    for (const name of ["Straße", "Archive", "STRASSE 50%"]) ids.unshift(await createSource(person, name));
    const first = await person.ask(rpcs.listKnowledgeSources, { page_size: 2 });
    const page_token = first.next_page_token;
    const second = await person.ask(rpcs.listKnowledgeSources, { page_size: 2, page_token });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(second.next_page_token).toBeUndefined();
    const found = await person.ask(rpcs.listKnowledgeSources, { text: "0%" });
    expect(found.items.map(({ name }) => name)).toEqual(["STRASSE 50%"]);
    expect((await refusal(person.ask(rpcs.listKnowledgeSources, { text: "x", page_token }))).at).toEqual([
      "page_token: page_token_invalid",
    ]);
  });
});

test.each([
  ["", "name: string_too_short"],
  ["😀".repeat(199), ""],
  ["😀".repeat(200), ""],
  ["😀".repeat(201), "name: string_too_long"],
  ["a\0b", "name: value_error"],
  [undefined, "name: missing"],
])("a name %# is taken or refused by its length", async (name, expected) => {
  const at = await admin.ask(rpcs.createKnowledgeSource, { name }).then(
    () => "",
    async (error) => (await refusal(Promise.reject(error))).at.join(),
  );
  expect(at).toBe(expected);
});
