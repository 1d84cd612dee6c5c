import { routes } from "@assistant/gateway/routes.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";
import { createPeople, PEOPLE, type People, type Who } from "./people.js";
import { type RightsRow, rows } from "./rows.js";
import { createTargets, type Names } from "./targets.js";

let platform: Platform;
let people: People;
let targets: ReturnType<typeof createTargets>;

beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"] });
  people = await createPeople(platform);
  targets = createTargets(platform, people);
}, 90_000);
afterAll(() => platform.stop());

describe("who may do what over HTTP", () => {
  test("is told of every operation that needs a token", () => {
    // Rights to contexts come from their scopes; the journeys of contexts tell of them.
    const told = routes.filter(({ open, rpc }) => !open && !rpc.path.startsWith("/assistant.contexts."));
    const operations = told.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(rows.map(({ operation }) => operation).sort()).toEqual(operations.sort());
  });

  test.each(rows.map((row) => [row.operation, row] as const))("%s", async (_, row) => {
    const answers = new Map<Who, number>();
    for (const who of PEOPLE) answers.set(who, (await attempt(row, who)).status);
    expect(Object.fromEntries(answers)).toEqual(
      Object.fromEntries(PEOPLE.map((who, index) => [who, row.statuses[index]])),
    );
  });

  test("without a token nobody may do anything", async () => {
    for (const row of rows) {
      const { status, headers } = await send(row, "", {});
      const told = { operation: row.operation, status, challenge: headers.get("www-authenticate")?.split(" ")[0] };
      expect(told).toEqual({ operation: row.operation, status: 401, challenge: "Bearer" });
    }
  });
});

async function attempt(row: RightsRow, who: Who): Promise<Response> {
  const target = row.target === undefined ? {} : await targets[row.target](who);
  return send(row, people.token(who), { org_id: people.orgId, ...target });
}

function send({ operation, body }: RightsRow, token: string, names: Names): Promise<Response> {
  const [method = "", path = ""] = operation.split(" ");
  const filled = path.replace(/\{([a-z_]+)\}/g, (_, name) => encodeURIComponent(names[name] ?? "nothing"));
  const content = body === undefined ? {} : { body: JSON.stringify(body(names)) };
  const authorization = token === "" ? {} : { authorization: `Bearer ${token}` };
  const headers = { ...authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  return fetch(`${platform.url}${filled}`, { method, headers, ...content });
}
