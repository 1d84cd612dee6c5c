import { documentOperation } from "./openapi-operation.js";
import { documentPage } from "./openapi-page.js";
import { parameters } from "./openapi-parameters.js";
import { headers, responses } from "./openapi-responses.js";
import { createDocumentSchemas } from "./openapi-schemas.js";
import { documentTags } from "./openapi-tags.js";
import { documentUpload } from "./openapi-upload.js";
import type { Page } from "./page.js";
import type { Schemas } from "./schema.js";
import { type AnyOperation, isUpload } from "./upload-operation.js";

/** The OpenAPI 3.1 document of the rows: made of what also checks the requests, so that the two cannot disagree. */
export function createDocument(
  operations: readonly AnyOperation[],
  pages: readonly Page[],
  schemas: Schemas,
  version: string,
): object {
  const documented = createDocumentSchemas(schemas);
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const { path, method } = operation.route;
    const shown = isUpload(operation)
      ? documentUpload(operation, schemas)
      : documentOperation(operation, schemas, documented);
    paths[path] = { ...paths[path], [method]: shown };
  }
  for (const page of pages) {
    const operation = documentPage(page);
    if (operation !== undefined) paths[page.path] = { ...paths[page.path], [page.method]: operation };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Assistant Platform Core API",
      version,
      description: INTRODUCTION,
      contact: { name: "Assistant Platform" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "This platform." }],
    tags: documentTags(),
    security: [{ [SCHEME]: [] }],
    paths,
    components: {
      securitySchemes: {
        [SCHEME]: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "An access token of `POST /api/core/auth/token`. It is good for ten minutes.",
        },
      },
      parameters,
      headers,
      responses,
      schemas: documented.components(),
    },
  };
}

const SCHEME = "BearerAuthAuthorizationProvider";

const INTRODUCTION = `The HTTP interface of an AI assistant platform.

**Getting a token.** A program sends the id of its service account and a key to \`POST /api/core/auth/token\`:
\`grant_type=client_credentials\`, \`client_id\`, \`client_secret\`. Of a platform started with \`npm start\`,
\`npm run --silent token\` prints one. Send it as \`Authorization: Bearer <token>\`. On this page: *Authorize*, paste the
token, then *Execute* any operation.

**Sessions.** An access token is good for ten minutes and belongs to a session. People open one with a browser, by SAML or
by a link, and stay signed in by a refresh token in a cookie that no script can read: pages of the same origin get their
access tokens by \`POST /api/core/auth/token\` with \`grant_type=refresh_token\`. Programs ask for a new token with their
key. Whoever ends a session, or changes what somebody may do, makes the tokens worthless within two seconds.

**What one may do** depends on the role in the org of the token: admin, editor or member. \`GET /api/core/me/permissions\`
tells it. What a caller may not know of is answered 404, as what does not exist.

**Errors.** Whatever goes wrong, the body is \`{"detail": [{"type", "loc", "msg", "input", "ctx"}]}\`. \`type\` is a
stable name for programs, \`loc\` the path to the value, \`input\` what was sent there. All violations of a request
are told at once.

**Safe repeats.** Send an \`Idempotency-Key\` with every POST that creates something: the same key and body answer
the first answer again for 24 hours, with \`Idempotency-Replayed: true\`.

**Concurrent changes.** Single resources carry an \`ETag\`. Send it back as \`If-Match\` with a change, which is
then refused with 412 if somebody else was faster, or as \`If-None-Match\` with a GET, which then answers 304 if
nothing has changed.

**Files** are uploaded as the part \`file\` of a form, and answered as their bytes.

**Lists.** \`page_size\` and \`page_token\`; \`next_page_token\` of an answer asks for the next page and is null on
the last.

**Unknown fields** are ignored, or refused with \`Prefer: handling=strict\`.`;
