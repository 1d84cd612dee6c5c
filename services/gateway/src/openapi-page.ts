import { PAGES_TAG } from "./openapi-tags.js";
import type { DocumentedPage, Page, PageField } from "./page.js";

/** One page of the document; undefined where it has no place there. */
export function documentPage({ method, documented }: Page): object | undefined {
  if (documented === undefined) return undefined;
  const { operationId, description, fields } = documented;
  const [summary = ""] = description.split(/\.(?:\s|$)|;/);
  return {
    operationId,
    tags: [PAGES_TAG],
    summary,
    description,
    security: [],
    parameters: method === "get" ? fields.map(queryParameter) : [],
    ...(method === "post" && fields.length > 0 ? { requestBody: formOf(fields) } : {}),
    responses: { ...answersOf(documented), ...failures },
  };
}

function queryParameter({ name, description, required }: PageField): object {
  return { name, in: "query", required: required === true, description, schema: { type: "string" } };
}

function formOf(fields: readonly PageField[]): object {
  const schema = {
    type: "object",
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(fields.map(({ name, description }) => [name, { type: "string", description }])),
  };
  const required = schema.required.length > 0;
  return { required, content: { "application/x-www-form-urlencoded": { schema } } };
}

function answersOf({ answers }: DocumentedPage): object {
  const entries = Object.entries(answers).map(([status, description]) => [
    status,
    status === "303"
      ? { description, headers: { Location: { $ref: "#/components/headers/Location" } } }
      : { description, content: HTML },
  ]);
  return Object.fromEntries(entries);
}

const HTML = { "text/html": { schema: { type: "string" } } };

const PROBLEM = { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } };

function failure(description: string): object {
  return { description, content: { ...HTML, ...PROBLEM } };
}

function refer(name: string): object {
  return { $ref: `#/components/responses/${name}` };
}

/** Browsers get a page where identity refuses; everybody else, and whoever the gateway refuses, gets JSON. */
const failures = {
  400: failure("The request is not what this page takes."),
  403: failure("The login is refused, or another site sent the request."),
  413: refer("PayloadTooLarge"),
  429: refer("RateLimited"),
  500: refer("Internal"),
  502: refer("BadGateway"),
  503: refer("Unavailable"),
  504: refer("GatewayTimeout"),
};
