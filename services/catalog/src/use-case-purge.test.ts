import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import { UseCaseContentServiceService as content } from "@assistant/proto/assistant/catalog/v1/use_case_content_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { insertAsset } from "./testing/assets.js";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createUseCase, eventsOf, outcome } from "./testing/verbs.js";
import { purgeUseCases } from "./use-case-purge.js";

let platform: Platform;
let editor: Person;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
});
afterAll(() => platform.close());

const DAY_MS = 86_400_000;
const EPOCH_MS = Date.parse("2030-01-01T00:00:00Z");

describe("a deleted use case", () => {
  test("is kept for as long as configured, can be restored until then, and is gone for good after", async () => {
    const id = await deletedAt(EPOCH_MS);
    expect(await purgeAt(EPOCH_MS + 30 * DAY_MS)).toBe(0);
    expect(await outcome(editor.ask(rpcs.restoreUseCase, { use_case_id: id }))).toBe("done");
    await editor.ask(rpcs.deleteUseCase, { use_case_id: id });
    await setDeletedAt(id, EPOCH_MS);
    expect(await purgeAt(EPOCH_MS + 30 * DAY_MS + 1)).toBe(1);
    expect(await outcome(editor.ask(rpcs.restoreUseCase, { use_case_id: id }))).toBe("missing");
    const events = await eventsOf(platform, id);
    expect(events.at(-1)).toEqual({
      type: "catalog.use_case.purged",
      org_id: editor.caller.orgId,
      sequence: 5,
      actor_id: "",
      data: { id },
    });
    expect(await purgeAt(EPOCH_MS + 99 * DAY_MS)).toBe(0);
  });

  test("takes its attachments and fields along and leaves the assets and what others share", async () => {
    const id = await deletedAt(EPOCH_MS, async (use_case_id) => {
      const knowledge_asset_id = await insertAsset(platform, editor);
      await editor.ask(content.attachKnowledgeAsset, { use_case_id, knowledge_asset_id });
      await insertField(use_case_id, "own");
      await insertField(use_case_id, "shared");
      await attachField((await createUseCase(editor)).id, "shared");
    });
    expect(await purgeAt(EPOCH_MS + 31 * DAY_MS)).toBe(1);
    const left = async (name: string, text: string) => await platform.db.query(name, text, [id]);
    expect(await left("left_attached", "select from use_case_assets where use_case_id = $1")).toEqual([]);
    expect(await left("left_fields", "select from guided_field_attachments where owner_id = $1")).toEqual([]);
    const fields = "select id from guided_fields where org_id = $1 order by id";
    expect(await platform.db.query("fields", fields, [editor.caller.orgId])).toEqual([{ id: "shared" }]);
  });

  test("that is restored at that very moment is either there or gone, never half", async () => {
    for (let round = 0; round < 10; round += 1) {
      const use_case_id = await deletedAt(EPOCH_MS);
      const [purged, restored] = await Promise.all([
        purgeAt(EPOCH_MS + 31 * DAY_MS),
        outcome(editor.ask(rpcs.restoreUseCase, { use_case_id })),
      ]);
      expect([purged, restored]).toEqual(restored === "done" ? [0, "done"] : [1, "missing"]);
      expect(await outcome(editor.ask(rpcs.getUseCase, { use_case_id }))).toBe(restored);
    }
  });

  test("is purged once, however many replicas are at it", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) ids.push(await deletedAt(EPOCH_MS));
    const counts = await Promise.all(Array.from({ length: 5 }, () => purgeAt(EPOCH_MS + 31 * DAY_MS)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(20);
    for (const id of ids) {
      expect((await eventsOf(platform, id)).filter(({ type }) => type.endsWith(".purged"))).toHaveLength(1);
    }
  });

  test("wakes the relay, and nothing is purged while the process ends", async () => {
    await deletedAt(EPOCH_MS);
    let woken = 0;
    const wake = () => {
      woken += 1;
    };
    const parts = { db: platform.db, relay: { wake }, clock: () => EPOCH_MS + 31 * DAY_MS, keptDays: 30 };
    expect(await purgeUseCases(parts, () => true)).toBe(0);
    expect(await purgeUseCases(parts)).toBe(1);
    expect(woken).toBe(1);
  });
});

function purgeAt(nowMs: number): Promise<number> {
  return purgeUseCases({ db: platform.db, relay: { wake: () => undefined }, clock: () => nowMs, keptDays: 30 });
}

async function deletedAt(timeMs: number, prepare?: (id: string) => Promise<void>): Promise<string> {
  const { id } = await createUseCase(editor);
  await prepare?.(id);
  await editor.ask(rpcs.deleteUseCase, { use_case_id: id });
  await setDeletedAt(id, timeMs);
  return id;
}

async function setDeletedAt(id: string, timeMs: number): Promise<void> {
  await platform.db.query("set_deleted_at", "update use_cases set deleted_at = $2 where id = $1", [
    id,
    new Date(timeMs),
  ]);
}

async function insertField(useCaseId: string, id: string): Promise<void> {
  const text = `insert into guided_fields
      (org_id, id, name, label, type, placeholder, required, help_text, options, version)
    values ($1, $2, $2, '{"en": "Field"}', 'text', '{}', false, '{}', '[]', 1)`;
  await platform.db.query("insert_field", text, [editor.caller.orgId, id]);
  await attachField(useCaseId, id);
}

async function attachField(useCaseId: string, id: string): Promise<void> {
  const text = `insert into guided_field_attachments (org_id, owner_kind, owner_id, field_id, name, position)
    select $1, 'use_case', $2, $3, $3, count(*) from guided_field_attachments where owner_id = $2`;
  await platform.db.query("attach_field", text, [editor.caller.orgId, useCaseId, id]);
}
