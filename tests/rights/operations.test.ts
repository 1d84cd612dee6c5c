import { routes } from "@assistant/gateway/routes.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";
import { createPeople, PEOPLE, type People, type Who } from "./people.js";
import { type RightsRow, rows } from "./rows.js";
import { createTargets, type Names } from "./targets.js";
import { wordOf } from "./words.js";

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

describe("what somebody is told that they may do", () => {
  test.each(PEOPLE.map((who, index) => [who, index] as const))("is what they may: %s", async (who, index) => {
    const told = await permissionsOf(who);
    const answers = rows.flatMap(({ operation, statuses }) => {
      const word = wordOf(operation);
      // What the stranger is tried on is another org's; what they may in their own is said by the answers to the admin.
      const status = statuses[who === "stranger" ? PEOPLE.indexOf("admin") : index] ?? 0;
      // Guests may, but not with the use cases of others, on which this is tried.
      const isElsewhere = who === "guest" && status === 404;
      return word === undefined || isElsewhere ? [] : [{ operation, word, may: status < 300 }];
    });
    const promised = answers.map(({ operation, word }) => ({ operation, word, may: told.includes(word) }));
    expect(promised).toEqual(answers);
    const known = new Set(rows.flatMap(({ operation }) => wordOf(operation) ?? []));
    expect(told.filter((word) => !known.has(word) && !word.includes("context") && word !== PERSONAL)).toEqual([]);
  });

  test("holds for contexts: who is told that they may read or write those of the org may, guests neither", async () => {
    const path = "/api/core/context-categories";
    for (const who of PEOPLE.filter((one) => one !== "stranger")) {
      const told = await permissionsOf(who);
      const token = people.token(who);
      const listed = await send({ operation: `GET ${path}` }, token, {});
      const body = () => ({ name: `Of ${who}`, scope_id: people.orgId });
      const created = await send({ operation: `POST ${path}`, body }, token, {});
      const may = { who, read: listed.ok, write: created.ok };
      const promised = told.filter((word) => word.startsWith("context_categories."));
      expect(may).toEqual({
        who,
        read: promised.includes("context_categories.read"),
        write: promised.includes("context_categories.write"),
      });
      expect(told.filter((word) => /^contexts\.(?:read|write)$/.test(word))).toHaveLength(promised.length);
    }
  });
});

/** Of personal assets nobody but their creator is told anything; the journey of visibility tries them. */
const PERSONAL = "own_knowledge_assets.write";

async function permissionsOf(who: Who): Promise<readonly string[]> {
  const answer = await platform.get<{ permissions: string[] }>("/api/core/me/permissions", people.token(who));
  return answer.permissions;
}

async function attempt(row: RightsRow, who: Who): Promise<Response> {
  const target = row.target === undefined ? {} : await targets[row.target](who);
  return send(row, people.token(who), { org_id: people.orgId, ...target });
}

function send(
  { operation, body }: Pick<RightsRow, "operation" | "body">,
  token: string,
  names: Names,
): Promise<Response> {
  const [method = "", path = ""] = operation.split(" ");
  const filled = path.replace(/\{([a-z_]+)\}/g, (_, name) => encodeURIComponent(names[name] ?? "nothing"));
  const content = contentOf(body?.(names));
  const authorization = token === "" ? {} : { authorization: `Bearer ${token}` };
  return fetch(`${platform.url}${filled}`, { method, ...content, headers: { ...authorization, ...content.headers } });
}

/** A form brings its media type along. */
function contentOf(body: object | undefined): { body?: string | FormData; headers?: Record<string, string> } {
  if (body === undefined) return {};
  if (body instanceof FormData) return { body };
  return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}
