import { platformRegistry } from "@assistant/kit/rules/descriptor.js";
import { describe, expect, test } from "@jest/globals";
import { createDocument } from "./openapi.js";
import { exampleOf } from "./openapi-example.js";
import type { Operation } from "./operation.js";
import { pages } from "./routes/pages.js";
import { routes } from "./routes.js";
import type { MessageSchema } from "./schema.js";
import { platformSchemas } from "./schemas.js";
import { createAnyOperation, isUpload } from "./upload-operation.js";
import { createWorkshop } from "./workshop.js";

const schemas = platformSchemas();
const workshop = createWorkshop(platformRegistry(), schemas);
const operations = routes.map((route) => createAnyOperation(route, workshop));
const document = JSON.parse(JSON.stringify(createDocument(operations, pages, schemas, "0")));

describe("the API document", () => {
  test("has every row, and no other operation", () => {
    const documented = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const shown = [...routes, ...pages.filter((page) => page.documented !== undefined)];
    expect(documented.sort()).toEqual(shown.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test("names every operation once and tells what it does", () => {
    const all = Object.values<Record<string, { operationId: string; summary: string; responses: object }>>(
      document.paths,
    );
    const documented = all.flatMap((methods) => Object.values(methods));
    expect(new Set(documented.map(({ operationId }) => operationId)).size).toBe(documented.length);
    for (const { summary } of documented) expect(summary).toMatch(/^[A-Z].*[^.]$/);
  });

  test("refers to nothing that it does not have", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = ""]) => path);
    expect(references.length).toBeGreaterThan(100);
    for (const path of new Set(references)) {
      const found = path.split("/").reduce((value, name) => value?.[name], document);
      expect({ path, found: found !== undefined }).toEqual({ path, found: true });
    }
  });

  test("asks for the bearer everywhere but where a row is open", () => {
    expect(document.security).toEqual([{ BearerAuthAuthorizationProvider: [] }]);
    for (const { method, path, open } of routes) {
      expect(document.paths[path][method].security).toEqual(open ? [] : undefined);
    }
  });

  test("gives examples that pass the checks", () => {
    for (const [name, schema] of Object.entries(schemas.requests)) {
      const { properties } = schema;
      const examples = Object.entries(properties).flatMap(([field, { examples: given }]) =>
        given ? [[field, given[0]]] : [],
      );
      const check = workshop.checks.ofMessage({ ...schema, required: [] }, true);
      expect({ name, passes: check(Object.fromEntries(examples)) }).toEqual({ name, passes: true });
    }
  });

  test("shows every body by an example that passes the checks", () => {
    const shown = operations
      .filter((operation): operation is Operation => !isUpload(operation))
      .flatMap(({ route, shape }) => {
        const schema = shape.body?.schema;
        if (schema === undefined || !("required" in schema)) return [];
        const check = workshop.checks.ofMessage(schema, true);
        const { content } = document.paths[route.path][route.method].requestBody;
        return Object.values<{ example: unknown }>(content).map(({ example }) => {
          return { row: `${route.method} ${route.path}`, passes: example !== undefined && check(example) };
        });
      });
    expect(shown.length).toBeGreaterThan(35);
    expect(shown.filter(({ passes }) => !passes)).toEqual([]);
  });

  test("shows of fields that exclude each other one, and of optional ones those with an example of their own", () => {
    const schema: MessageSchema = {
      type: "object",
      description: "A message.",
      properties: {
        kind: { type: "string", enum: ["text", "select"] },
        name: { type: "string", examples: ["Region"] },
        options: { type: "array", items: { type: "string", examples: ["North"] } },
        length: { type: ["integer", "null"] },
        by_text: { type: ["string", "null"] },
        by_url: { type: ["string", "null"], examples: ["https://example.com"] },
        both: { type: ["string", "null"], examples: ["other"] },
      },
      required: ["kind", "name"],
      "x-only-with": [{ property: "options", decider: "kind", words: ["select"], text: "Only of a select" }],
      "x-exactly-one": [{ fields: ["by_text", "by_url"], or: ["both"], text: "Provide exactly one" }],
    };
    expect(exampleOf(schema, schemas)).toEqual({ kind: "text", name: "Region", by_url: "https://example.com" });
    const kind = { type: "string", enum: ["text", "select"], examples: ["select"] } as const;
    const selecting = exampleOf({ ...schema, properties: { ...schema.properties, kind } }, schemas);
    expect(selecting).toMatchObject({ kind: "select", options: ["North"] });
    const nameless = { ...schema, properties: { ...schema.properties, name: { type: "string" } } } as const;
    expect(() => exampleOf(nameless, schemas)).toThrow("name is shown in an example, so its proto has to give one");
  });

  test("sorts the operations under headings, each of which has some", () => {
    const used = Object.values<Record<string, { tags: string[] }>>(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ tags }) => tags),
    );
    const headings: string[] = document.tags.map(({ name }: { name: string }) => name);
    expect([...new Set(used)].sort()).toEqual([...headings].sort());
    const most = Math.max(...headings.map((heading) => used.filter((tag) => tag === heading).length));
    expect(most).toBeLessThan(15);
  });

  test("says of paths without a token what they answer: bytes, whatever is asked for", () => {
    const { summary, description, responses } = document.paths["/favicon.ico"].get;
    expect({ summary, description }).toEqual({
      summary: "Gets the platform's icon",
      description: "Gets the platform's icon. The bytes alone, for those who have no token.",
    });
    expect(Object.keys(responses[200].content)).not.toContain("application/json");
  });

  test("shows of a converter the form that it takes, the bytes that it answers, and what may be wrong with either", () => {
    for (const { route, method } of operations.filter(isUpload)) {
      const { operationId, requestBody, responses } = document.paths[route.path].post;
      expect(operationId.toLowerCase()).toBe(method.name.toLowerCase());
      expect(requestBody).toMatchObject({
        required: true,
        content: {
          "multipart/form-data": { schema: { properties: { file: { type: "string" } }, required: ["file"] } },
        },
      });
      expect(Object.keys(responses)).toEqual([
        "200",
        "400",
        "401",
        "403",
        "404",
        "413",
        "415",
        "422",
        "429",
        "500",
        "502",
        "503",
        "504",
      ]);
      expect(Object.keys(responses[200].content)).toEqual([...route.media]);
      expect(Object.keys(responses[200].headers)).toEqual(
        expect.arrayContaining(["ETag", "Content-Disposition", "Server-Timing"]),
      );
    }
  });

  test("shows fields as they are checked", () => {
    expect(document.components.schemas.CreateContextRequest).toMatchObject({
      required: ["title", "category_id", "context", "scope_id"],
      properties: { title: { type: "string", minLength: 1, maxLength: 200 } },
    });
    expect(document.components.schemas.UpdateContextRequest.properties).not.toHaveProperty("context_id");
    const [path] = document.paths["/api/core/contexts/{context_id}"].get.parameters;
    expect(path).toMatchObject({ name: "context_id", in: "path", required: true, schema: { type: "string" } });
  });
});

test("the route table is what it was: a row comes, goes or changes only on purpose", () => {
  const lines = operations.map((operation) => {
    const { method, route: row } = operation;
    const start = `${row.method.toUpperCase()} ${row.path} -> ${method.parent.name}.${method.name}`;
    if (isUpload(operation)) return `${start} (${row.status}, upload, rate ${row.rate})`;
    const { route, takesKey } = operation;
    const marks = [
      `${route.status}`,
      route.respond,
      ...(route.body === undefined ? [] : [`body ${route.body}`]),
      ...(route.open ? ["open"] : []),
      ...(route.form ? ["form"] : []),
      ...(route.versioned ? ["versioned"] : []),
      ...(takesKey ? ["key"] : []),
      ...(route.rate === undefined ? [] : [`rate ${route.rate}`]),
      ...(route.cache === undefined ? [] : [route.cache]),
    ];
    return `${start} (${marks.join(", ")})`;
  });
  expect(lines).toMatchSnapshot();
});
