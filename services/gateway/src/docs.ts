import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { RequestHandler, Router } from "express";

/** Serves the API reference at `/docs`, all of it from here: nothing is loaded from elsewhere. */
export function addDocs(router: Router, common: RequestHandler): void {
  const require = createRequire(import.meta.url);
  const files = dirname(require.resolve("swagger-ui-dist/package.json"));
  router.get("/docs", common, (_request, response) => {
    response.setHeader("Content-Security-Policy", POLICY);
    response.setHeader("Referrer-Policy", "no-referrer");
    response.type("html").end(PAGE);
  });
  router.get("/docs/start.js", common, (_request, response) => {
    response.type("js").end(START);
  });
  for (const name of FILES) {
    router.get(`/docs/${name}`, common, (_request, response) => {
      response.setHeader("Cache-Control", "public, max-age=86400");
      response.sendFile(join(files, name), { cacheControl: false });
    });
  }
}

const FILES = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"];

/** What `addDocs` serves. */
export const DOCS_PATHS = ["/docs", ...["start.js", ...FILES].map((name) => `/docs/${name}`)];

/** The page runs what we serve, talks to us alone, and is shown in nobody's frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Assistant Platform Core API</title>
    <link rel="icon" href="/docs/favicon-32x32.png" />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <main id="reference"></main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  filter: true,
  displayRequestDuration: true,
  docExpansion: "list",
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;
