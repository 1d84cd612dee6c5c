import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";

interface Listed {
  items: {
    id: string;
    name: string;
    title: string;
    email: string;
    context: string;
    label: object;
    description: object;
  }[];
}

let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform();
}, 90_000);
afterAll(() => platform?.stop());

describe("the demo data", () => {
  test("have an org with an admin, an editor and a member, two groups, and contexts in nine languages", async () => {
    const { orgs, users, groups, contexts } = await everything();
    expect(orgs).toHaveLength(1);
    expect(users.map(({ email }) => email).sort()).toEqual([
      "admin@demo.example",
      "editor@demo.example",
      "member@demo.example",
    ]);
    expect(groups).toHaveLength(2);
    const titles = new Set(contexts.map(({ title }) => title));
    const languages = [
      "Deutsch",
      "English",
      "Español",
      "Français",
      "Italiano",
      "Nederlands",
      "Polski",
      "Português",
      "Svenska",
    ];
    expect(languages.filter((language) => !titles.has(language))).toEqual([]);
  });

  test("have use cases whose texts are there in all nine languages", async () => {
    const { useCases } = await everything();
    expect(useCases).toHaveLength(8);
    for (const { label, description } of useCases) {
      for (const text of [label, description]) {
        expect(Object.keys(text)).toEqual(["de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv"]);
        expect(new Set(Object.values(text)).size).toBe(9);
      }
    }
  });

  test("have assets of each category and fields of each type for the use case shown first", async () => {
    const { useCases } = await everything();
    const token = await platform.token();
    const id = useCases[0]?.id;
    const assets = await platform.get<{ category: string }[]>(`/api/core/use-cases/${id}/knowledge-assets`, token);
    expect(assets.map(({ category }) => category)).toEqual(["managed", "external", "personal"]);
    const fields = await platform.get<{ items: { type: string }[] }>(
      `/api/core/guided_search_fields/use_case/${id}`,
      token,
    );
    expect(fields.items.map(({ type }) => type)).toEqual([
      "text",
      "textarea",
      "number",
      "date",
      "boolean",
      "select",
      "multi_select",
    ]);
    const gaps = await platform.get<{ items: { locale: string; missing: object[] }[] }>(
      `/api/core/use-cases/${id}/translations`,
      token,
    );
    expect(gaps.items).toHaveLength(9);
    expect(gaps.items.flatMap(({ missing }) => missing)).toEqual([]);
  });

  test("are loaded once: another start finds the same", async () => {
    const before = await everything();
    await platform.end();
    await platform.start();
    expect(await everything()).toEqual(before);
  }, 60_000);
});

async function everything() {
  const token = await platform.token();
  const list = async (path: string) => (await platform.get<Listed>(`${path}?page_size=200`, token)).items;
  return {
    orgs: await list("/api/core/orgs"),
    users: await list("/api/core/users"),
    groups: await list("/api/core/groups"),
    useCases: await list("/api/core/use-cases"),
    categories: await list("/api/core/context-categories"),
    contexts: await list("/api/core/contexts"),
  };
}
