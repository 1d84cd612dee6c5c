import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

type Ids = Record<string, unknown>;

let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform();
}, 90_000);
afterAll(() => platform?.stop());

/** They need what no example makes: an identity provider that answers, or all fields of that very owner. */
const ELSEWHERE = [
  "importSamlMetadata",
  ...["reorderUseCaseFields", "reorderKnowledgeAssetFields", "updateKnowledgeAssetField", "renderUseCaseFields"],
];

describe("the examples of the API document", () => {
  test("are taken as they are, apart from ids of what is not there: each by a platform that has what its path names", async () => {
    const token = await platform.token();
    const org = (await platform.get<{ org_id: string }>("/api/core/me/permissions", token)).org_id;
    const ids: Ids = { scope_id: org, model_id: "large-1" };
    const refused: object[] = [];
    let waiting = (await operations()).filter(({ name }) => !ELSEWHERE.includes(name));
    expect(waiting.length).toBeGreaterThan(35);
    while (waiting.length > 0) {
      const next = waiting.find((operation) => isReady(operation, ids));
      if (next === undefined)
        throw new Error(`nothing makes what these name: ${waiting.map(({ name }) => name).join(", ")}`);
      waiting = waiting.filter((operation) => operation !== next);
      const answer = await send(next, ids, token);
      if (answer.ok) learn(next, await answer.json(), ids);
      else refused.push({ name: next.name, status: answer.status, body: await answer.text() });
    }
    expect(refused).toEqual([]);
  }, 60_000);
});

interface Documented {
  operationId: string;
  requestBody?: { content: Record<string, { example?: object }> };
}

async function operations(): Promise<Operation[]> {
  const document = await platform.get<{ paths: Record<string, Record<string, Documented>> }>("/openapi.json", "");
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId: name, requestBody }]) => {
      const body = requestBody?.content["application/json"]?.example;
      return body === undefined ? [] : [{ name, method: method.toUpperCase(), path, body }];
    }),
  );
}

/** What the path names is there, and so is what the body names. */
function isReady({ path, body }: Operation, ids: Ids): boolean {
  const named = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = ""]) => name);
  return [...named, ...Object.keys(body).filter((name) => FOREIGN.includes(name))].every((name) => name in ids);
}

/** Fields of bodies that name what has to be there first. */
const FOREIGN = [
  ...["client_id", "client_secret", "user_id", "principal_id", "model"],
  ...["scope_id", "category_id", "context_category_ids", "context_ids"],
  "knowledge_source_ids",
];

function send({ method, path, body }: Operation, ids: Ids, token: string): Promise<Response> {
  const filled = path.replace(/\{([a-z_]+)\}/g, (_, name) => encodeURIComponent(String(ids[name])));
  const given = Object.entries(body).map(([name, value]) => [name, FOREIGN.includes(name) ? ids[name] : value]);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(`${platform.url}${filled}`, { method, headers, body: JSON.stringify(Object.fromEntries(given)) });
}

function learn({ name }: Operation, { id, key }: { id: string; key?: string }, ids: Ids): void {
  Object.assign(ids, LEARNT[name]?.(id, key));
}

/** What a creation makes known, by the names that paths and bodies have for it. */
const LEARNT: Readonly<Record<string, (id: string, key?: string) => object>> = {
  createOrg: (id) => ({ org_id: id }),
  createUser: (id) => ({ user_id: id, principal_id: id }),
  createGroup: (id) => ({ group_id: id }),
  createServiceAccount: (id) => ({ service_account_id: id, client_id: id }),
  createServiceAccountKey: (id, key) => ({ key_id: id, client_secret: key }),
  createSamlConnection: (id) => ({ connection_id: id }),
  createUseCase: (id) => ({ use_case_id: id }),
  createUseCaseField: (id) => ({ field_id: id }),
  createKnowledgeSource: (id) => ({ knowledge_source_id: id, knowledge_source_ids: [id] }),
  createKnowledgeAsset: (id) => ({ knowledge_asset_id: id }),
  createContextCategory: (id) => ({ context_category_id: id, category_id: id, context_category_ids: [id] }),
  createContext: (id) => ({ context_id: id, context_ids: [id] }),
  putModel: (id) => ({ model: id }),
};
