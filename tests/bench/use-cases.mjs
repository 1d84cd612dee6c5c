// Use cases, measured among 100,000 of them: page 1,000 must not cost more than the first.
import { COUNT, LOCALES, PAGE, pagesOf, withCatalog } from "./catalog.mjs";

/** Reading and rendering, each beside the first page of the list. */
export async function prepareUseCases({ url, headers, folder, call }) {
  const { id, orgId } = await createRendered(call);
  await withCatalog(folder, (client) => fill(client, orgId));
  const { first, far } = await pagesOf({ url, headers, call }, "/api/core/use-cases");
  const one = { url: `${url}/api/core/use-cases/${id}`, headers };
  const body = JSON.stringify({ values: { product: "Lamp", channel: "Letter" }, locale: "de" });
  const render = { url: `${url}${fieldsOf(id)}/render`, method: "POST", headers, body };
  return {
    first: { name: "first page of use cases", target: first },
    others: [
      { name: `page ${PAGE} of use cases`, target: far },
      { name: "GET one use case", target: one },
      { name: "render a use case", target: render },
    ],
  };
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
async function fill(client, orgId) {
  const text = `insert into use_cases (id, org_id, label, description, sync_connectors, credential_ids,
      sync_connectors_enabled_user_credentials, version)
    select 'uc_' || lpad(n::text, 26, '0'), $1,
      (select jsonb_object_agg(locale, 'Use case ' || n || ' in ' || locale) from unnest($2::text[]) as locale),
      (select jsonb_object_agg(locale, repeat('What it is good for. ', 5)) from unnest($2::text[]) as locale),
      '{manually_synced}', '{}', '{}', 1
    from generate_series(1, $3::integer) as n`;
  await client.query(text, [orgId, LOCALES, COUNT]);
  await client.query("vacuum analyze use_cases");
}
