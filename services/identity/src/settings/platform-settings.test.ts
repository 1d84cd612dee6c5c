import { SettingsServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/settings_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { hire, openOrg, type Person, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";

let platform: Platform;
let root: Person;
let admin: Person;
let member: Person;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  admin = await openOrg(platform);
  member = await hire(platform, admin);
});

afterAll(() => platform.close());

const full = { name: "Ours", support_email: "help@example.com", support_url: "https://example.com/help" };

describe("the settings of the platform", () => {
  test("have a name from the start", async () => {
    const { answer, reply } = await member.exchange(rpcs.getPlatformSettings, {});
    expect(answer.platform_settings).toEqual({
      name: "Assistant Platform",
      support_email: undefined,
      support_url: undefined,
    });
    expect(reply.version).toBe(1);
  });

  test("are replaced as a whole, seen by members of every org", async () => {
    expect((await root.ask(rpcs.updatePlatformSettings, full)).platform_settings).toEqual(full);
    expect((await member.ask(rpcs.getPlatformSettings, {})).platform_settings).toEqual(full);
    const bare = { name: "Bare", support_email: undefined, support_url: undefined };
    expect((await root.ask(rpcs.updatePlatformSettings, { name: "Bare" })).platform_settings).toEqual(bare);
  });

  test("that are as they were keep their version, others count it up", async () => {
    const before = await root.exchange(rpcs.updatePlatformSettings, full);
    const same = await root.exchange(rpcs.updatePlatformSettings, full);
    expect(same.reply.version).toBe(before.reply.version);
    const later = await root.exchange(rpcs.updatePlatformSettings, { name: "Later" });
    expect(later.reply.version).toBe((before.reply.version ?? 0) + 1);
  });

  test("are for platform admins: 403 for the admin of an org, 401 for nobody", async () => {
    for (const person of [admin, member]) {
      expect(await refusal(person.ask(rpcs.updatePlatformSettings, full))).toMatchObject({ kind: "denied" });
    }
    const nobody = platform.bearer("");
    expect(await refusal(nobody.ask(rpcs.getPlatformSettings, {}))).toMatchObject({ kind: "unauthenticated" });
    expect(await refusal(nobody.ask(rpcs.updatePlatformSettings, full))).toMatchObject({ kind: "unauthenticated" });
  });

  test("of another version are 412", async () => {
    const stale = root.ask(rpcs.updatePlatformSettings, full, { ifMatch: ["999"] });
    expect(await refusal(stale)).toMatchObject({ kind: "stale" });
  });

  test("have limits: a name of 1 to 200, an address, a web address", async () => {
    const wrong = async (changed: object) =>
      (await refusal(root.ask(rpcs.updatePlatformSettings, { ...full, ...changed }))).at;
    for (const name of ["n", "n".repeat(200)]) {
      expect((await root.ask(rpcs.updatePlatformSettings, { name })).platform_settings?.name).toBe(name);
    }
    expect(await wrong({ name: undefined })).toEqual(["name: missing"]);
    expect(await wrong({ name: "" })).toEqual(["name: string_too_short"]);
    expect(await wrong({ name: "n".repeat(201) })).toEqual(["name: string_too_long"]);
    expect(await wrong({ support_email: "nobody" })).toEqual(["support_email: string_pattern_mismatch"]);
    const ofLength = (length: number) => `https://example.com/${"a".repeat(length - 20)}`;
    await root.ask(rpcs.updatePlatformSettings, { ...full, support_url: ofLength(2_000) });
    expect(await wrong({ support_url: ofLength(2_001) })).toEqual(["support_url: string_too_long"]);
    expect(await wrong({ support_url: "javascript:alert(1)" })).toEqual(["support_url: url_scheme"]);
    expect(await wrong({ support_url: "/help" })).toEqual(["support_url: url_parsing"]);
  });
});
