import { KnowledgeServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/knowledge_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { assetChange, createAsset } from "../testing/knowledge-verbs.js";
import { openPlatform, type Person, type Platform } from "../testing/platform.js";
import { refusal } from "../testing/verbs.js";

let platform: Platform;
let admin: Person;
let assetId: string;
beforeAll(async () => {
  platform = await openPlatform();
  admin = platform.person({ role: "admin" });
  assetId = (await createAsset(admin)).id;
});
afterAll(() => platform.close());

/** What is wrong, in short; empty: nothing with the shape of the request. */
async function shapeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "",
    async (error) =>
      (await refusal(Promise.reject(error))).at.filter((violation) => !violation.endsWith("value_error")).join(),
  );
}

const update = (about: Parameters<typeof assetChange>[1]) =>
  admin.ask(rpcs.updateKnowledgeAsset, assetChange(assetId, about));

describe.each([
  ["creating", (about: Parameters<typeof createAsset>[1]) => createAsset(admin, about)],
  ["updating", update],
])("%s an asset", (_, send) => {
  test.each([
    ["rerank_top_n", [0, "greater_than_equal"], [1, ""], [199, ""], [200, ""], [201, "less_than_equal"]],
    [
      "chunk_reranker_threshold",
      [-0.01, "greater_than_equal"],
      [0, ""],
      [0.999, ""],
      [1, ""],
      [1.01, "less_than_equal"],
      [Number.NaN, "finite_number"],
    ],
  ] as [string, ...[number, string][]][])("takes %s within its bounds alone", async (field, ...values) => {
    for (const [value, type] of values) {
      expect(await shapeOf(send({ [field]: value }))).toBe(type === "" ? "" : `${field}: ${type}`);
    }
  });

  test.each([
    ["label.pl", 200, (pl: string) => ({ label: { pl } })],
    ["description.sv", 4_000, (sv: string) => ({ description: { sv } })],
    ["knowledge_source_ids.0", 64, (id: string) => ({ knowledge_source_ids: [id] })],
    ["fallback_strategy_tool_ids.0", 64, (id: string) => ({ fallback_strategy_tool_ids: [id] })],
  ] as const)("takes %s of 1 to %d characters", async (field, most, about) => {
    expect(await shapeOf(send(about("")))).toBe(`${field}: string_too_short`);
    expect(await shapeOf(send(about("😀".repeat(most - 1))))).toBe("");
    expect(await shapeOf(send(about("😀".repeat(most))))).toBe("");
    expect(await shapeOf(send(about("😀".repeat(most + 1))))).toBe(`${field}: string_too_long`);
    expect((await refusal(send(about("a\0b")))).at).toEqual([`${field}: value_error`]);
  });

  test("takes the name of an icon of up to 1,024 characters", async () => {
    const icon = (icon_filename: string) => shapeOf(send({ icon_filename }));
    expect(await icon("")).toBe("");
    expect(await icon("x".repeat(1_023))).toBe("");
    expect(await icon("x".repeat(1_024))).toBe("");
    expect(await icon("x".repeat(1_025))).toBe("icon_filename: string_too_long");
  });

  test("takes lists of 200, and no more", async () => {
    for (const field of ["knowledge_source_ids", "fallback_strategy_tool_ids"]) {
      const list = (count: number) => shapeOf(send({ [field]: Array.from({ length: count }, (__, n) => `id-${n}`) }));
      expect([await list(199), await list(200), await list(201)]).toEqual(["", "", `${field}: too_long`]);
    }
  });

  test("takes only the languages of the platform", async () => {
    const violations = (await refusal(send({ label: { xx: "a", en: "b" } }))).at;
    expect(violations).toEqual(["label.xx.[key]: enum"]);
  });
});

test("an asset needs a label in one language at least", async () => {
  expect(await refusal(createAsset(admin, { label: {} }))).toEqual({ kind: "invalid", at: ["label: too_short"] });
});
