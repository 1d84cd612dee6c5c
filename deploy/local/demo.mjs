import { CATEGORIES, GROUPS, MODELS, USERS } from "./demo-content.mjs";
import { addKnowledge } from "./demo-knowledge.mjs";
import { openRest } from "./demo-rest.mjs";
import { textOf } from "./demo-texts.mjs";
import { USE_CASES } from "./demo-use-cases.mjs";

/**
 * Fills the org of a token's admin with people, groups, use cases, categories and contexts, by the public API alone. What is there
 * already stays as it is, so a second run adds only what is missing.
 *
 * @param {{ url: string, token: string }} platform
 */
export async function loadDemo({ url, token }) {
  const rest = openRest({ url, token });
  const userIds = await addUsers(rest);
  const groupIds = await addGroups(rest, userIds);
  const orgId = orgOf(token);
  const useCaseId = await addUseCases(rest);
  await addKnowledge(rest, { orgId, useCaseId });
  await addModels(rest);
  for (const category of CATEGORIES) {
    const scopeId = category.group === undefined ? orgId : needed(groupIds, category.group);
    await addCategory(rest, scopeId, category);
  }
}

/**
 * @typedef {import("./demo-rest.mjs").Rest} Rest
 * @typedef {import("./demo-content.mjs").Category} Category
 */

/**
 * @param {Rest} rest
 * @returns {Promise<Map<string, string>>} ids by e-mail address
 */
async function addUsers(rest) {
  const path = "/api/core/users";
  const there = await rest.list(path);
  const ids = new Map(there.map((user) => [String(user.email).toLowerCase(), String(user.id)]));
  for (const user of USERS) {
    if (!ids.has(user.email)) ids.set(user.email, String((await rest.create(path, user)).id));
  }
  return ids;
}

/**
 * @param {Rest} rest
 * @param {Map<string, string>} userIds
 * @returns {Promise<Map<string, string>>} ids by name
 */
async function addGroups(rest, userIds) {
  const path = "/api/core/groups";
  const ids = new Map((await rest.list(path)).map((group) => [String(group.name), String(group.id)]));
  for (const { name, members } of GROUPS) {
    const id = ids.get(name) ?? String((await rest.create(path, { name })).id);
    ids.set(name, id);
    const there = await rest.list(`${path}/${id}/members`);
    for (const { email, manager } of members) {
      const principal_id = needed(userIds, email);
      if (there.some((member) => member.principal_id === principal_id)) continue;
      await rest.create(`${path}/${id}/members`, { principal_id, manager });
    }
  }
  return ids;
}

/**
 * @param {Rest} rest
 * @returns {Promise<string>} id of the one that is shown first
 */
async function addUseCases(rest) {
  const path = "/api/core/use-cases";
  const there = await rest.list(path);
  let first = "";
  // Newest first is how they are listed, so the last one created is shown first.
  for (const useCase of USE_CASES.toReversed()) {
    const found = there.find(({ label }) => textOf(label) === useCase.label.en);
    first = String((found ?? (await rest.create(path, useCase))).id);
  }
  return first;
}

/** @param {Rest} rest */
async function addModels(rest) {
  const path = "/api/core/models";
  const there = await rest.list(path);
  for (const { id, name } of MODELS) {
    if (!there.some((model) => model.id === id)) await rest.put(`${path}/${id}`, { name });
  }
}

/**
 * @param {Rest} rest
 * @param {string} scope_id
 * @param {Category} category
 */
async function addCategory(rest, scope_id, { name, contexts }) {
  const path = "/api/core/context-categories";
  const [found] = (await rest.list(path, { scope_id })).filter((category) => category.name === name);
  const category = found ?? (await rest.create(path, { name, scope_id }));
  const category_id = String(category.id);
  const there = await rest.list("/api/core/contexts", { category_id });
  for (const { title, context } of contexts) {
    if (there.some((known) => known.title === title)) continue;
    await rest.create("/api/core/contexts", { title, context, category_id, scope_id });
  }
}

/**
 * The org that an access token acts in (RFC 9068, claim `org`).
 *
 * @param {string} token
 * @returns {string}
 */
function orgOf(token) {
  const [, claims = ""] = token.split(".");
  return String(JSON.parse(Buffer.from(claims, "base64url").toString()).org);
}

/**
 * @param {Map<string, string>} ids
 * @param {string} name
 */
function needed(ids, name) {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`the demo data name ${name}, which they do not bring`);
  return id;
}
