import { type Request, type RequestHandler, Router } from "express";
import { answerJson, answerOptions, answerProblem, type CommonHeaders } from "./answer.js";
import { addDocs, DOCS_PATHS } from "./docs.js";
import { openExchange } from "./exchange.js";
import { malformed } from "./headers.js";
import type { Health } from "./health.js";
import { methodNotAllowed, uriTooLong } from "./problem.js";
import type { Problem } from "./refusal.js";

export interface SystemRouterOptions {
  readonly health: Health;
  /** The OpenAPI document. */
  readonly document: object;
  readonly commonHeaders: CommonHeaders;
}

/** What needs no token and belongs to no service: health, the API document and its reference. */
export function createSystemRouter({ health, document, commonHeaders }: SystemRouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(refuseUnreadable(commonHeaders));
  const plain: RequestHandler = (request, response, next) => {
    commonHeaders(openExchange(request, response));
    response.setHeader("Cache-Control", "no-store");
    next();
  };
  router.get("/livez", plain, (_request, response) => answerJson(response, 200, { status: "alive" }));
  router.get("/readyz", plain, async (_request, response) => {
    const readiness = await health.readiness();
    answerJson(response, readiness.status === "unready" ? 503 : 200, readiness);
  });
  router.get("/openapi.json", plain, (_request, response) => answerJson(response, 200, document));
  addDocs(router, plain);
  router.all([...SYSTEM_PATHS, ...DOCS_PATHS], plain, (request, response) => {
    if (request.method === "OPTIONS") answerOptions(openExchange(request, response), ALLOW);
    else answerProblem(response, methodNotAllowed(request.method, ALLOW));
  });
  return router;
}

const SYSTEM_PATHS = ["/livez", "/readyz", "/openapi.json"];
const ALLOW = "GET, HEAD, OPTIONS";
const URL_LENGTH_MAX = 8 * 1_024;

function refuseUnreadable(commonHeaders: CommonHeaders): RequestHandler {
  return (request, response, next) => {
    const problem = unreadable(request);
    if (problem === undefined) {
      next();
      return;
    }
    commonHeaders(openExchange(request, response));
    answerProblem(response, problem);
  };
}

function unreadable({ originalUrl, headers, httpVersion }: Request): Problem | undefined {
  const { expect, host } = headers;
  if (originalUrl.length > URL_LENGTH_MAX) return uriTooLong(URL_LENGTH_MAX);
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") return malformed("expect", expect).problem;
  return host === undefined && httpVersion === "1.1" ? malformed("host", host).problem : undefined;
}
