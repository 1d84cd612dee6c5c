import { Fault } from "@assistant/kit/wire/fault.js";
import { GuidedFieldsServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/guided_fields_service.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createAssetField, createField, fieldChange, fieldIds } from "../testing/guided-fields.js";
import { createAsset } from "../testing/knowledge-verbs.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { createUseCase, eventsOf, faultOf, outcome } from "../testing/verbs.js";

let platform: Platform;
let admin: Person;
let use_case_id: string;

beforeAll(async () => {
  platform = await openPlatform();
});
beforeEach(async () => {
  admin = platform.person({ role: "admin" });
  use_case_id = (await createUseCase(admin)).id;
});
afterAll(() => platform.close());

const MANY = 50;

describe(`of ${MANY} at once`, () => {
  test("one creation takes the name, the others learn that it is taken", async () => {
    const outcomes = await many(() => outcome(createField(admin, use_case_id)));
    expect(tally(outcomes)).toEqual({ done: 1, conflict: MANY - 1 });
    const [id = ""] = await fieldIds(admin, use_case_id);
    expect(await fieldIds(admin, use_case_id)).toHaveLength(1);
    expect(await eventsOf(platform, id)).toHaveLength(1);
  });

  test("creations of one id and content all answer one field, for however many owners", async () => {
    const others = [use_case_id, (await createUseCase(admin)).id, (await createUseCase(admin)).id];
    const created = await many((index) => createField(admin, others[index % 3] ?? "", { id: "one" }));
    expect(new Set(created.map(({ id }) => id))).toEqual(new Set(["one"]));
    for (const owner of others) expect(await fieldIds(admin, owner)).toEqual(["one"]);
    const sequences = (await eventsOf(platform, "one")).map(
      ({ type, sequence }) => `${sequence} ${type.split(".").at(-1)}`,
    );
    expect(sequences).toEqual(["1 created", "2 attached", "3 attached"]);
  });

  test("creations fill an owner to 200 fields and never above", async () => {
    for (let index = 0; index < 190; index += 1) await createField(admin, use_case_id, { name: `f${index}` });
    const outcomes = await many((index) => outcome(createField(admin, use_case_id, { name: `more${index}` })));
    expect(tally(outcomes)).toEqual({ done: 10, conflict: MANY - 10 });
    const ids = await fieldIds(admin, use_case_id);
    expect(ids).toHaveLength(200);
    const full = await faultOf(createField(admin, use_case_id, { name: "above" }));
    expect(full.violations.map(({ context }) => context)).toEqual([{ reason: "state" }]);
    await admin.ask(rpcs.deleteUseCaseField, { use_case_id, field_id: ids[0] });
    await createField(admin, use_case_id, { name: "above" });
  });

  test("a name that two owners' requests reach for goes to one of them, and no request fails otherwise", async () => {
    const knowledge_asset_id = (await createAsset(admin, { category: "KNOWLEDGE_ASSET_CATEGORY_EXTERNAL" })).id;
    await createField(admin, use_case_id, { id: "both", name: "old" });
    await createAssetField(admin, knowledge_asset_id, { id: "both", name: "old" });
    const rename = () => {
      const guided_search_field = fieldChange({ name: "new" });
      return admin.ask(rpcs.updateUseCaseField, { use_case_id, field_id: "both", guided_search_field });
    };
    const outcomes = await many((index) =>
      outcome(index % 2 === 0 ? rename() : createAssetField(admin, knowledge_asset_id, { name: "new" })),
    );
    const { done = 0, conflict = 0 } = tally(outcomes);
    // A field that has the name may be told so again and again.
    expect([1, MANY / 2]).toContain(done);
    expect(tally(outcomes)).toEqual({ done, conflict });
    const { items } = await admin.ask(rpcs.listKnowledgeAssetFields, { knowledge_asset_id });
    expect(items.filter(({ name }) => name === "new")).toHaveLength(1);
  });

  test("deletions of a shared field from both its owners delete it once and leave nothing", async () => {
    const other = (await createUseCase(admin)).id;
    await createField(admin, use_case_id, { id: "gone" });
    await createField(admin, other, { id: "gone" });
    const outcomes = await many((index) => {
      const request = { use_case_id: index % 2 === 0 ? use_case_id : other, field_id: "gone" };
      return admin.ask(rpcs.deleteUseCaseField, request).then(
        ({ message }) => message.split(" ").at(-1) ?? "",
        (error) => String(error.kind),
      );
    });
    expect(tally(outcomes)).toEqual({ detached: 1, deleted: 1, missing: MANY - 2 });
  });

  test("reorderings, each of all fields, leave one of the orders asked for", async () => {
    const ids: string[] = [];
    for (const name of ["a", "b", "c", "d"]) ids.push((await createField(admin, use_case_id, { name })).id);
    const orders = [ids, ids.toReversed()];
    await many((index) => {
      const guided_search_field_ids = orders[index % 2] ?? [];
      return admin.ask(rpcs.reorderUseCaseFields, { use_case_id, guided_search_field_ids });
    });
    expect(orders).toContainEqual(await fieldIds(admin, use_case_id));
  });
});

/** All at once. Whoever finds the service too busy comes again, as its answer asks. */
function many<T>(act: (index: number) => Promise<T>): Promise<T[]> {
  const persistent = async (index: number): Promise<T> => {
    const answer = await act(index).catch((error: unknown) => {
      if (error instanceof Fault && error.kind === "unavailable") return undefined;
      throw error;
    });
    return answer === undefined || answer === "unavailable" ? persistent(index) : answer;
  };
  return Promise.all(Array.from({ length: MANY }, (_, index) => persistent(index)));
}

function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of outcomes) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
