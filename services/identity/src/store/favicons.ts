import type { Sql, Tx } from "@assistant/kit/database/postgres.js";
import { changing } from "@assistant/kit/database/statement.js";

export interface FaviconRow {
  media_type: string;
  content: Buffer;
  /** Of the content, hexadecimal. */
  sha256: string;
}

/** Undefined: nobody has replaced the built-in icon. */
export async function findFavicon(sql: Sql): Promise<FaviconRow | undefined> {
  return (await sql.query<FaviconRow>("favicons_find", finding, []))[0];
}

/** Replaces the icon; with the one that it is already it changes nothing. */
export async function replaceFavicon(tx: Tx, { media_type, content, sha256 }: FaviconRow): Promise<void> {
  await tx.change(replacing, [media_type, content, sha256]);
}

/** Goes back to the built-in icon. */
export async function removeFavicon(tx: Tx): Promise<void> {
  await tx.change(removing, []);
}

const finding = "select media_type, content, sha256 from favicons";
// The icon belongs to no org.
const returning = "returning id, '' as org_id, media_type, sha256";

const replacing = changing({
  name: "favicons_replace",
  effect: `insert into favicons (media_type, content, sha256) values ($1, $2, $3)
    on conflict (id) do update set media_type = excluded.media_type, content = excluded.content,
      sha256 = excluded.sha256, version = nextval('favicon_versions')
    where favicons.sha256 <> excluded.sha256 or favicons.media_type <> excluded.media_type
    ${returning}, version`,
  event: { type: "identity.favicon.updated", columns: ["media_type", "sha256"] },
});

const removing = changing({
  name: "favicons_remove",
  effect: `delete from favicons ${returning}, nextval('favicon_versions')::integer as version`,
  event: { type: "identity.favicon.deleted", columns: ["media_type", "sha256"] },
});
