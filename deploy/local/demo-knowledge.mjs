import { ASSETS } from "./demo-assets.mjs";
import { FIELDS } from "./demo-fields.mjs";
import { textOf } from "./demo-texts.mjs";

/**
 * Gives a use case knowledge assets of each category and a field of each type.
 *
 * @param {Rest} rest
 * @param {{ orgId: string, useCaseId: string }} place
 */
export async function addKnowledge(rest, { orgId, useCaseId }) {
  for (const asset of ASSETS) {
    const id = await addAsset(rest, orgId, asset);
    await rest.put(`/api/core/use-cases/${useCaseId}/knowledge-assets/${id}`, {});
  }
  const path = `/api/core/guided_search_fields/use_case/${useCaseId}`;
  const there = await rest.list(path);
  for (const field of FIELDS) {
    if (!there.some(({ name }) => name === field.name)) await rest.create(path, field);
  }
}

/** @typedef {import("./demo-rest.mjs").Rest} Rest */

/**
 * @param {Rest} rest
 * @param {string} orgId
 * @param {import("./demo-assets.mjs").Asset} asset
 * @returns {Promise<string>} its id
 */
async function addAsset(rest, orgId, { source, ...about }) {
  const path = "/api/core/knowledge_assets";
  const there = await rest.list(path, { category: about.category });
  const found = there.find(({ label }) => textOf(label) === about.label.en);
  if (found !== undefined) return String(found.id);
  const knowledge_source_ids = source === undefined ? [] : [await addSource(rest, orgId, source)];
  return String((await rest.create(path, { ...about, knowledge_source_ids })).id);
}

/**
 * A source that everybody in the org holds.
 *
 * @param {Rest} rest
 * @param {string} orgId
 * @param {string} name
 * @returns {Promise<string>} its id
 */
async function addSource(rest, orgId, name) {
  const path = "/api/core/knowledge_sources";
  const found = (await rest.list(path)).find((known) => known.name === name);
  const id = String((found ?? (await rest.create(path, { name }))).id);
  const grants = await rest.list(`${path}/${id}/grants`);
  if (!grants.some(({ principal_id }) => principal_id === orgId)) {
    await rest.create(`${path}/${id}/grants`, { principal_id: orgId });
  }
  return id;
}
