import { SettingsServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/settings_service.js";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { hire, openOrg, type Person, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";

let platform: Platform;
let root: Person;
let admin: Person;
let editor: Person;
let member: Person;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  admin = await openOrg(platform);
  editor = await hire(platform, admin, "editor");
  member = await hire(platform, admin);
});

afterEach(async () => {
  const { items } = await root.ask(rpcs.listModels, { page_size: 200 });
  for (const { id } of items) await root.ask(rpcs.deleteModel, { model_id: id });
});

afterAll(() => platform.close());

const put = (model_id: string, name = "Some") => root.ask(rpcs.putModel, { model_id, name });
const enable = (person: Person, model_id: string, enabled: boolean) =>
  person.ask(rpcs.enableModel, { model_id, enabled });
const listed = async (person: Person) => (await person.ask(rpcs.listModels, {})).items;

describe("the catalogue of models", () => {
  test("is what platform admins put there, newest first, enabled where nobody disabled it", async () => {
    expect((await put("small-1", "Small")).model).toEqual({ id: "small-1", name: "Small", enabled: true });
    await put("vendor/large 1:b", "Large");
    expect(await listed(member)).toEqual([
      { id: "vendor/large 1:b", name: "Large", enabled: true },
      { id: "small-1", name: "Small", enabled: true },
    ]);
  });

  test("has each model once: a second time renames it, in its place", async () => {
    await put("a");
    await put("b");
    expect((await put("a", "Other")).model).toMatchObject({ name: "Other" });
    expect((await listed(root)).map(({ id, name }) => [id, name])).toEqual([
      ["b", "Some"],
      ["a", "Other"],
    ]);
  });

  test("is for platform admins to change: 403 for the admin of an org, 401 for nobody", async () => {
    await put("a");
    const request = { model_id: "a", name: "Mine" };
    expect(await refusal(admin.ask(rpcs.putModel, request))).toMatchObject({ kind: "denied" });
    expect(await refusal(admin.ask(rpcs.deleteModel, { model_id: "a" }))).toMatchObject({ kind: "denied" });
    const nobody = platform.bearer("");
    expect(await refusal(nobody.ask(rpcs.putModel, request))).toMatchObject({ kind: "unauthenticated" });
    expect(await refusal(nobody.ask(rpcs.listModels, {}))).toMatchObject({ kind: "unauthenticated" });
    expect(await refusal(nobody.ask(rpcs.deleteModel, { model_id: "a" }))).toMatchObject({ kind: "unauthenticated" });
  });

  test("takes ids and names of 1 to 200 characters", async () => {
    const long = "m".repeat(200);
    expect((await put(long, long)).model).toEqual({ id: long, name: long, enabled: true });
    expect((await refusal(put(`${long}m`))).at).toEqual(["model_id: string_too_long"]);
    expect((await refusal(put(""))).at).toEqual(["model_id: string_too_short"]);
    expect((await refusal(put("a", ""))).at).toEqual(["name: string_too_short"]);
    expect((await refusal(put("a", `${long}m`))).at).toEqual(["name: string_too_long"]);
  });

  test("takes 200 models, also from many at once, and still renames", async () => {
    for (let count = 0; count < 190; count += 1) await put(`m${count}`);
    const rush = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => put(`rush${index}`)));
    expect(rush.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect(await refusal(put("one-more"))).toMatchObject({ kind: "conflict" });
    expect((await put("m0", "Renamed")).model).toMatchObject({ name: "Renamed" });
  });

  test("is read page by page", async () => {
    for (const id of ["a", "b", "c"]) await put(id);
    const first = await member.ask(rpcs.listModels, { page_size: 2 });
    expect(first.items.map(({ id }) => id)).toEqual(["c", "b"]);
    const { items, next_page_token } = await member.ask(rpcs.listModels, {
      page_size: 2,
      page_token: first.next_page_token,
    });
    expect([items.map(({ id }) => id), next_page_token]).toEqual([["a"], undefined]);
    expect((await refusal(member.ask(rpcs.listModels, { page_size: 201 }))).at).toEqual(["page_size: less_than_equal"]);
  });

  test("forgets a model once: a second time is 404; back again it is enabled", async () => {
    await put("a");
    await enable(admin, "a", false);
    expect(await root.ask(rpcs.deleteModel, { model_id: "a" })).toEqual({ message: "Model deleted" });
    expect(await refusal(root.ask(rpcs.deleteModel, { model_id: "a" }))).toMatchObject({ kind: "missing" });
    await put("a");
    expect(await listed(admin)).toMatchObject([{ enabled: true }]);
  });
});

describe("an org's choice of models", () => {
  test("is its own: other orgs keep what they have", async () => {
    await put("a");
    expect((await enable(admin, "a", false)).model).toEqual({ id: "a", name: "Some", enabled: false });
    expect(await listed(member)).toMatchObject([{ id: "a", enabled: false }]);
    expect(await listed(root)).toMatchObject([{ id: "a", enabled: true }]);
    expect((await enable(admin, "a", true)).model).toMatchObject({ enabled: true });
    expect(await listed(member)).toMatchObject([{ id: "a", enabled: true }]);
  });

  test("is its admins': 403 for others, 404 for a model that there is not, 422 without an answer", async () => {
    await put("a");
    for (const person of [editor, member]) {
      expect(await refusal(enable(person, "a", false))).toMatchObject({ kind: "denied" });
    }
    expect(await refusal(enable(admin, "b", false))).toMatchObject({ kind: "missing" });
    const open = admin.ask(rpcs.enableModel, { model_id: "a" });
    expect(await refusal(open)).toEqual({ kind: "invalid", at: ["enabled: missing"] });
  });

  test("is told of once: what is so already changes nothing", async () => {
    await put("a");
    for (const enabled of [true, false, false, true, true]) await enable(admin, "a", enabled);
    const events = await platform.db.query<{ type: string; org_id: string }>(
      "test_model_events",
      "select type, org_id from outbox where subject = 'a' and org_id = $1 and type <> $2 order by pos desc limit 2",
      [admin.orgId, "identity.model.created"],
    );
    expect(events.map(({ type }) => type)).toEqual(["identity.model.enabled", "identity.model.disabled"]);
  });

  test("and the end of the model may meet: either is whole", async () => {
    for (let round = 0; round < 10; round += 1) {
      await put("a");
      const [, gone] = await Promise.allSettled([
        enable(admin, "a", false),
        root.ask(rpcs.deleteModel, { model_id: "a" }),
      ]);
      expect(gone.status).toBe("fulfilled");
      expect(await listed(admin)).toEqual([]);
    }
  });
});
