// Use cases, measured among 100,000 of them. Their rows are compared with one another: reading one and rendering with the first page
// of the list, and so is page 1,000, which must not cost more.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

const COUNT = 100_000;
const PAGE = 1_000;
const PAGE_SIZE = 50;

/** What is to be measured, each beside what it is compared with. */
export async function prepareUseCases({ url, headers, folder, call }) {
  const { id, orgId } = await createRendered(call);
  await fill(folder, orgId);
  const list = `/api/core/use-cases?page_size=${PAGE_SIZE}`;
  const first = { url: `${url}${list}`, headers };
  const far = { url: `${url}${list}&page_token=${await tokenOf(call, list)}`, headers };
  const one = { url: `${url}/api/core/use-cases/${id}`, headers };
  const body = JSON.stringify({ values: { product: "Lamp", channel: "Letter" }, locale: "de" });
  const render = { url: `${url}${fieldsOf(id)}/render`, method: "POST", headers, body };
  return [
    { name: `page ${PAGE} of use cases`, beside: "first page", targets: [first, far] },
    { name: "GET one use case", beside: "first page", targets: [first, one] },
    { name: "render a use case", beside: "first page", targets: [first, render] },
  ];
}

function fieldsOf(id) {
  return `/api/core/guided_search_fields/use_case/${id}`;
}

async function createRendered(call) {
  const { items } = await call("GET", "/api/core/orgs");
  const { id } = await call("POST", "/api/core/use-cases", { label: { en: "Rendered" } });
  const product = { name: "product", type: "text", label: { en: "Product" }, required: true };
  await call("POST", fieldsOf(id), { ...product, prompt_enrichment: "The question is about {{value}}." });
  const channel = {
    name: "channel",
    type: "select",
    label: { en: "Channel" },
    options: [{ de: "Brief", en: "Letter" }],
  };
  await call("POST", fieldsOf(id), { ...channel, prompt_enrichment: "Answer as it is usual for: {{value}}." });
  return { id, orgId: items[0].id };
}

/** Ids below all others, so that what the bench created comes first. */
async function fill(folder, orgId) {
  const client = new pg.Client({ connectionString: await databaseUrl(folder) });
  await client.connect();
  const locales = ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv"];
  const text = `insert into use_cases (id, org_id, label, description, sync_connectors, credential_ids,
      sync_connectors_enabled_user_credentials, version)
    select 'uc_' || lpad(n::text, 26, '0'), $1,
      (select jsonb_object_agg(locale, 'Use case ' || n || ' in ' || locale) from unnest($2::text[]) as locale),
      (select jsonb_object_agg(locale, repeat('What it is good for. ', 5)) from unnest($2::text[]) as locale),
      '{manually_synced}', '{}', '{}', 1
    from generate_series(1, $3::integer) as n`;
  await client.query(text, [orgId, locales, COUNT]);
  await client.query("analyze use_cases");
  await client.end();
}

async function databaseUrl(folder) {
  const password = (await readFile(join(folder, "secrets/catalog-password"), "utf8")).trim();
  const notes = await readFile(join(folder, "postgres/data/postmaster.pid"), "utf8");
  return `postgres://catalog:${password}@127.0.0.1:${notes.split("\n")[3]}/catalog`;
}

/** Of the page before page 1,000, found as every client finds it. */
async function tokenOf(call, list) {
  let token = "";
  for (let page = 1; page < PAGE; page++) {
    const { next_page_token } = await call("GET", `${list}${token && `&page_token=${token}`}`);
    token = next_page_token;
  }
  return token;
}
