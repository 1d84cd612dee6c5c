import { ProfileServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/profile_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { tellDeleted } from "../testing/links.js";
import { hire, openOrg, type Person, present, refusal, rootOf } from "../testing/people.js";
import { ORIGIN, openPlatform, type Platform } from "../testing/platform.js";
import { forgetFavorite } from "./favorites.js";

let platform: Platform;
let admin: Person;
let member: Person;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await openOrg(platform);
  member = await hire(platform, admin);
});

afterAll(() => platform.close());

const favoritesOf = async (person: Person) =>
  present((await person.ask(rpcs.getProfile, {})).profile).favorite_use_cases;
const put = (person: Person, use_case_id: string) => person.ask(rpcs.putFavorite, { use_case_id });
const remove = (person: Person, use_case_id: string) => person.ask(rpcs.deleteFavorite, { use_case_id });

describe("a favorite", () => {
  test("comes and goes, any number of times, and tells of it once", async () => {
    const person = await hire(platform, admin);
    const [one, other] = [platform.catalog.addUseCase(admin.orgId), platform.catalog.addUseCase(admin.orgId)];
    for (const id of [one, other, one]) expect(await put(person, id)).toEqual({ message: "Use case is a favorite" });
    expect(await favoritesOf(person)).toEqual([other, one]);
    for (const id of [one, one]) expect(await remove(person, id)).toEqual({ message: "Use case is no favorite" });
    expect(await favoritesOf(person)).toEqual([other]);
    const text = "select type from outbox where subject = $1 order by pos";
    const events = await platform.db.query<{ type: string }>("test_favorites", text, [`${person.id}/${one}`]);
    expect(events.map(({ type }) => type)).toEqual(["identity.favorite.created", "identity.favorite.deleted"]);
  });

  test("is a use case that the caller may read: 404 for others; to remove, any will do", async () => {
    const foreign = platform.catalog.addUseCase((await rootOf(platform)).orgId);
    for (const id of [foreign, "uc_nowhere"]) {
      expect(await refusal(put(member, id))).toMatchObject({ kind: "missing" });
      expect(await remove(member, id)).toBeDefined();
    }
    const gone = platform.catalog.addUseCase(admin.orgId);
    await put(member, gone);
    platform.catalog.removeUseCase(gone);
    await remove(member, gone);
    expect(await favoritesOf(member)).toEqual([]);
  });

  test("is one's own: 401 for nobody", async () => {
    const id = platform.catalog.addUseCase(admin.orgId);
    const nobody = platform.bearer("");
    for (const rpc of [rpcs.putFavorite, rpcs.deleteFavorite]) {
      expect(await refusal(nobody.ask(rpc, { use_case_id: id }))).toMatchObject({ kind: "unauthenticated" });
    }
    await put(member, id);
    await remove(admin, id);
    expect(await favoritesOf(member)).toEqual([id]);
  });

  test("that is deleted is nobody's any more; in another org it would be another", async () => {
    const [gone, kept] = [platform.catalog.addUseCase(admin.orgId), platform.catalog.addUseCase(admin.orgId)];
    const people = [await hire(platform, admin), await hire(platform, admin)];
    for (const person of people) {
      await put(person, gone);
      await put(person, kept);
    }
    const told = (orgId: string) =>
      platform.db.transaction(ORIGIN, (tx) =>
        forgetFavorite(
          {
            id: "evt",
            type: "catalog.use_case.deleted",
            subject: gone,
            orgId,
            sequence: 2,
            data: {},
            actorId: "",
            requestId: "",
            traceparent: "",
            time: new Date(),
          },
          tx,
        ),
      );
    await told("org_other");
    for (const person of people) expect(await favoritesOf(person)).toEqual([kept, gone]);
    await told(admin.orgId);
    for (const person of people) expect(await favoritesOf(person)).toEqual([kept]);
  });

  test("is none whose use case was deleted since catalog was asked: 404, until it is restored", async () => {
    const person = await hire(platform, admin);
    const id = platform.catalog.addUseCase(admin.orgId);
    await tellDeleted(platform, admin.orgId, id);
    expect(await refusal(put(person, id))).toMatchObject({ kind: "missing" });
    expect(await favoritesOf(person)).toEqual([]);
    platform.catalog.restoreUseCase(id, 3);
    await put(person, id);
    expect(await favoritesOf(person)).toEqual([id]);
  });

  test("does not outlive its use case that is deleted at that very moment", async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => hire(platform, admin)));
    for (let round = 0; round < 8; round += 1) {
      const id = platform.catalog.addUseCase(admin.orgId);
      await Promise.allSettled([...people.map((person) => put(person, id)), tellDeleted(platform, admin.orgId, id)]);
      const text = "select principal_id from favorites where use_case_id = $1";
      expect(await platform.db.query("left_favorites", text, [id])).toEqual([]);
    }
  });

  test("is one of 200 at most, also of many at once: 409", async () => {
    const person = await hire(platform, admin);
    const ids = Array.from({ length: 210 }, () => platform.catalog.addUseCase(admin.orgId));
    for (const id of ids.slice(0, 195)) await put(person, id);
    const rush = await Promise.allSettled(ids.slice(195).map((id) => put(person, id)));
    expect(rush.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    const there = await favoritesOf(person);
    expect(there).toHaveLength(200);
    const late = ids.find((id) => !there.includes(id));
    expect(await refusal(put(person, present(late)))).toMatchObject({ kind: "conflict" });
    expect(await put(person, present(there[0]))).toBeDefined();
  });

  test("that many make at once is one", async () => {
    const person = await hire(platform, admin);
    const id = platform.catalog.addUseCase(admin.orgId);
    await Promise.all(Array.from({ length: 8 }, () => put(person, id)));
    expect(await favoritesOf(person)).toEqual([id]);
  });
});
