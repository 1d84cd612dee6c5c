// Knowledge assets, measured among 100,000 of them with 1,000,000 grants, as a member sees them who holds 2,000 sources and so all
// assets: what decides about visibility must cost page 1,000 no more than the first.
import { COUNT, LOCALES, PAGE, pagesOf, withCatalog } from "./catalog.mjs";

const SOURCES = 2_000;
/** All but one of them are others' grants. */
const GRANTS_OF_EACH = 500;

/** Reads by a member, each beside the first page of the list. */
export async function prepareKnowledge({ url, folder, call, callerWith }) {
  const { items } = await call("GET", "/api/core/orgs");
  const member = await createMember(call);
  await withCatalog(folder, (client) => fill(client, items[0].id, member.id));
  const headers = { authorization: `Bearer ${await signIn(call, member)}`, "content-type": "application/json" };
  const { first, far } = await pagesOf({ url, headers, call: callerWith(headers) }, "/api/core/knowledge_assets");
  const one = { url: `${url}/api/core/knowledge_assets/ka_${String(COUNT).padStart(26, "0")}`, headers };
  return {
    first: { name: "first page of knowledge assets", target: first },
    others: [
      { name: `page ${PAGE} of knowledge assets`, target: far },
      { name: "GET one knowledge asset", target: one },
    ],
  };
}

async function createMember(call) {
  const { id } = await call("POST", "/api/core/service-accounts", { name: "Bench", role: "member" });
  const { key } = await call("POST", `/api/core/service-accounts/${id}/keys`, {});
  return { id, key };
}

async function signIn(call, { id, key }) {
  const request = { grant_type: "client_credentials", client_id: id, client_secret: key };
  return (await call("POST", "/api/core/auth/token", request)).access_token;
}

async function fill(client, orgId, memberId) {
  const source = (n) => `'ks_' || lpad((${n})::text, 26, '0')`;
  await client.query(
    `insert into knowledge_sources (id, org_id, name, version)
      select ${source("n")}, $1, 'Source ' || n, 1 from generate_series(1, $2::integer) as n`,
    [orgId, SOURCES],
  );
  await client.query(
    `insert into knowledge_assets (id, org_id, category, created_by, label, description, knowledge_source_ids,
      is_selected_by_default, rerank_top_n, chunk_reranker_threshold, icon_filename, fallback_strategy_tool_ids,
      load_page_assets, download_disabled, version)
    select 'ka_' || lpad(n::text, 26, '0'), $1, 'managed', $2,
      (select jsonb_object_agg(locale, 'Asset ' || n || ' in ' || locale) from unnest($3::text[]) as locale),
      (select jsonb_object_agg(locale, repeat('What it holds. ', 5)) from unnest($3::text[]) as locale),
      array[${source("n % $4::integer + 1")}], false, 20, 0.3, '', '{}', false, false, 1
    from generate_series(1, $5::integer) as n`,
    [orgId, memberId, LOCALES, SOURCES, COUNT],
  );
  await client.query(
    `insert into knowledge_grants (source_id, principal_id, org_id, principal_version)
      select ${source("n")}, case p when 1 then $2 else 'usr_' || lpad(p::text, 26, '0') end, $1, 1
      from generate_series(1, $3::integer) as n, generate_series(1, $4::integer) as p`,
    [orgId, memberId, SOURCES, GRANTS_OF_EACH],
  );
  await client.query("vacuum analyze knowledge_sources, knowledge_assets, knowledge_asset_sources, knowledge_grants");
}
