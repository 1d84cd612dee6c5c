import { createHash } from "node:crypto";
import { SettingsServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/settings_service.js";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { bitmap, ico, png } from "../testing/images.js";
import { openOrg, type Person, present, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { BUILT_IN_ICON } from "./built-in-icon.js";

let platform: Platform;
let root: Person;
let admin: Person;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  admin = await openOrg(platform);
});

afterEach(() => root.ask(rpcs.deleteFavicon, {}));
afterAll(() => platform.close());

const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString("base64");
const upload = (bytes: Buffer | string) => root.ask(rpcs.updateFavicon, { data: base64(bytes) });
const wrong = async (bytes: Buffer | string) => refusal(upload(bytes));
const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0" /></svg>';

describe("the icon", () => {
  test("is at first the built-in one, described as well, to anybody", async () => {
    const { file, favicon } = await platform.bearer("").ask(rpcs.getFavicon, {});
    const sha256 = createHash("sha256").update(BUILT_IN_ICON).digest("hex");
    expect(file).toEqual({
      media_type: "image/svg+xml",
      content: Buffer.from(BUILT_IN_ICON),
      etag: sha256.slice(0, 32),
    });
    expect(favicon).toEqual({
      content_type: "FAVICON_TYPE_SVG",
      data: base64(BUILT_IN_ICON),
      sha256,
      etag: sha256.slice(0, 32),
      url: "https://assistant.example/api/core/platform_settings/favicon",
    });
  });

  test("becomes a PNG, an ICO or an SVG, and goes back", async () => {
    for (const [bytes, type] of [
      [png(16, 16), "FAVICON_TYPE_PNG"],
      [ico([bitmap(16, 16)]), "FAVICON_TYPE_ICO"],
      [Buffer.from(drawing), "FAVICON_TYPE_SVG"],
    ] as const) {
      const changed = await root.ask(rpcs.updateFavicon, { data: base64(bytes), content_type: type });
      expect(changed.favicon).toMatchObject({ content_type: type, data: base64(bytes) });
      const { file, favicon } = await root.ask(rpcs.getFavicon, {});
      expect(favicon).toEqual(changed.favicon);
      expect(present(file).content.equals(bytes)).toBe(true);
      expect(present(file).etag).toBe(createHash("sha256").update(bytes).digest("hex").slice(0, 32));
    }
    expect(await root.ask(rpcs.deleteFavicon, {})).toEqual({ message: "The built-in icon is back" });
    expect((await root.ask(rpcs.getFavicon, {})).file?.content.toString()).toBe(BUILT_IN_ICON);
  });

  test("that is an SVG is kept without what runs or loads, and tagged as it is kept", async () => {
    const hostile = `<svg onload="alert(1)"><script>alert(1)</script><path d="M0 0"/></svg>`;
    const { favicon } = await upload(hostile);
    expect(Buffer.from(present(favicon).data, "base64").toString()).toBe(drawing);
    expect(present(favicon).sha256).toBe(createHash("sha256").update(drawing).digest("hex"));
  });

  test("is for platform admins: 403 for the admin of an org, 401 for nobody", async () => {
    const request = { data: base64(drawing) };
    expect(await refusal(admin.ask(rpcs.updateFavicon, request))).toMatchObject({ kind: "denied" });
    expect(await refusal(admin.ask(rpcs.deleteFavicon, {}))).toMatchObject({ kind: "denied" });
    const nobody = platform.bearer("");
    expect(await refusal(nobody.ask(rpcs.updateFavicon, request))).toMatchObject({ kind: "unauthenticated" });
    expect(await refusal(nobody.ask(rpcs.deleteFavicon, {}))).toMatchObject({ kind: "unauthenticated" });
  });

  test("is of 256 KiB at most: 413 above", async () => {
    const fill = (bytes: number) => `${drawing}${" ".repeat(bytes - drawing.length)}`;
    expect((await upload(fill(256 * 1_024))).favicon).toBeDefined();
    for (const bytes of [256 * 1_024 + 1, 1_000_000]) {
      expect(await wrong(fill(bytes))).toEqual({ kind: "large", at: ["data: payload_too_large"] });
    }
  });

  test("is of 256 KiB at most also as it is kept, where a drawing takes more room than as it was sent: 413", async () => {
    const told = (signs: number) => drawing.replace("<path", `<desc>${"&".repeat(signs)}</desc><path`);
    const most = Math.floor((256 * 1_024 - told(0).length) / "&amp;".length);
    expect((await upload(told(most))).favicon).toBeDefined();
    expect(await wrong(told(most + 1))).toEqual({ kind: "large", at: ["data: payload_too_large"] });
  });

  test("of no kind that an icon may be is 415, a damaged one 422, one of another kind than said too", async () => {
    expect(await wrong("GIF89a")).toEqual({ kind: "unsupported", at: ["data: unsupported_media_type"] });
    for (const bytes of [png(16, 16).subarray(0, 30), "<html/>", "<svg/>"]) {
      expect(await wrong(bytes)).toEqual({ kind: "invalid", at: ["data: file_corrupt"] });
    }
    expect(await wrong(png(1_025, 16))).toEqual({ kind: "invalid", at: ["data: value_error"] });
    expect(await wrong(`<svg>${"<g/>".repeat(10_000)}</svg>`)).toEqual({ kind: "invalid", at: ["data: value_error"] });
    const lie = { data: base64(png(16, 16)), content_type: "FAVICON_TYPE_SVG" } as const;
    expect(await refusal(root.ask(rpcs.updateFavicon, lie))).toEqual({
      kind: "invalid",
      at: ["content_type: value_error"],
    });
  });

  test("comes as base64, spelled in the one way", async () => {
    expect(await refusal(root.ask(rpcs.updateFavicon, {}))).toEqual({ kind: "invalid", at: ["data: missing"] });
    expect((await refusal(root.ask(rpcs.updateFavicon, { data: "" }))).at).toEqual(["data: string_too_short"]);
    const good = base64(png(3, 3));
    for (const data of [
      "%%%",
      "a",
      ` ${good}`,
      `${good}\n`,
      `data:image/png;base64,${good}`,
      good.replace(/=*$/, "===="),
    ]) {
      expect((await refusal(root.ask(rpcs.updateFavicon, { data }))).at).toEqual(["data: value_error"]);
    }
  });

  test("changes only from the one that If-Match names, be it the tag of the image or of its JSON", async () => {
    const { file } = await root.ask(rpcs.getFavicon, {});
    const request = { data: base64(drawing) };
    for (const tag of ["1", "0".repeat(32)]) {
      expect(await refusal(root.ask(rpcs.updateFavicon, request, { ifMatch: [tag] }))).toMatchObject({ kind: "stale" });
      expect(await refusal(root.ask(rpcs.deleteFavicon, {}, { ifMatch: [tag] }))).toMatchObject({ kind: "stale" });
    }
    const { favicon } = await root.ask(rpcs.updateFavicon, request, { ifMatch: [present(file).etag] });
    await root.ask(rpcs.deleteFavicon, {}, { ifMatch: [`${present(favicon).etag}.json`] });
    await root.ask(rpcs.updateFavicon, request, { ifMatch: "*" });
  });

  test("tells of a change once, and never the image", async () => {
    await upload(drawing);
    await upload(drawing);
    await root.ask(rpcs.deleteFavicon, {});
    await root.ask(rpcs.deleteFavicon, {});
    const events = await platform.db.query<{ type: string; data: object; sequence: string }>(
      "test_favicon_events",
      "select type, data, sequence from outbox where subject = 'favicon' order by pos desc limit 2",
      [],
    );
    expect(events.map(({ type }) => type)).toEqual(["identity.favicon.deleted", "identity.favicon.updated"]);
    expect(Number(events[0]?.sequence)).toBeGreaterThan(Number(events[1]?.sequence));
    for (const { data } of events) expect(Object.keys(data).sort()).toEqual(["media_type", "sha256"]);
  });
});
