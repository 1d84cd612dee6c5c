import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newLink } from "../testing/links.js";
import { type Person, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { sweepLinks } from "./link-sweep.js";

let platform: Platform;
let admin: Person;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await rootOf(platform);
});

afterAll(() => platform.close());

const DAY_MS = 86_400_000;

async function kept(id: string): Promise<boolean | undefined> {
  const text = "select sealed is not null as sealed from magic_links where id = $1";
  return (await platform.db.query<{ sealed: boolean }>("kept_link", text, [id]))[0]?.sealed;
}

describe("the sweep", () => {
  test("forgets the token of a link once its time is over, and the link once its sessions are", async () => {
    const { token_id, expires_at } = await newLink(admin, { max_uses: 2 });
    const endMs = expires_at?.getTime() ?? 0;
    await sweepLinks(platform.db, endMs - 1);
    expect(await kept(token_id)).toBe(true);
    await sweepLinks(platform.db, endMs);
    expect(await kept(token_id)).toBe(false);
    await sweepLinks(platform.db, endMs + 91 * DAY_MS);
    expect(await kept(token_id)).toBe(false);
    await sweepLinks(platform.db, endMs + 91 * DAY_MS + 1);
    expect(await kept(token_id)).toBeUndefined();
  });

  test("takes all there are, by several replicas at once", async () => {
    const { token_id, expires_at } = await newLink(admin, { max_uses: 2 });
    const text = `insert into magic_links (id, org_id, kind, service_account_id, lookup, sealed, version, created_at, expires_at)
      select 'mgl_' || n, org_id, kind, service_account_id, sha256(n::text::bytea), sealed, 1, created_at, expires_at
      from magic_links, generate_series(1, 2500) as n where id = $1`;
    await platform.db.query("fill_links", text, [token_id]);
    await Promise.all([1, 2, 3].map(() => sweepLinks(platform.db, expires_at?.getTime() ?? 0)));
    const left = "select count(*)::integer as links from magic_links where sealed is not null and expires_at <= $1";
    expect(await platform.db.query("left_sealed", left, [expires_at])).toEqual([{ links: 0 }]);
  });
});
