// What the rows about use cases and knowledge share: the catalog's database, filled by SQL, and far pages, found by tokens.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

export const COUNT = 100_000;
export const LOCALES = ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv"];
export const PAGE = 1_000;
const PAGE_SIZE = 50;

/** Lends a connection to the catalog's database. */
export async function withCatalog(folder, work) {
  const client = new pg.Client({ connectionString: await databaseUrl(folder) });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** The first page of a list and page 1,000, as requests. */
export async function pagesOf({ url, headers, call }, path) {
  const list = `${path}?page_size=${PAGE_SIZE}`;
  const first = { url: `${url}${list}`, headers };
  return { first, far: { url: `${url}${list}&page_token=${await tokenOf(call, path)}`, headers } };
}

async function databaseUrl(folder) {
  const password = (await readFile(join(folder, "secrets/catalog-password"), "utf8")).trim();
  const notes = await readFile(join(folder, "postgres/data/postmaster.pid"), "utf8");
  return `postgres://catalog:${password}@127.0.0.1:${notes.split("\n")[3]}/catalog`;
}

/** Of the page before page 1,000, found as every client finds it, but in fewer and larger steps. */
async function tokenOf(call, path) {
  let token = "";
  for (let left = (PAGE - 1) * PAGE_SIZE; left > 0; left -= 150) {
    const next = token && `&page_token=${token}`;
    token = (await call("GET", `${path}?page_size=${Math.min(left, 150)}${next}`)).next_page_token;
  }
  return token;
}
