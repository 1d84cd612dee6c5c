import { type RequestHandler, Router } from "express";
import { answerJson, answerProblem, type CommonHeaders } from "./answer.js";
import { addDocs } from "./docs.js";
import { openExchange } from "./exchange.js";
import { malformed } from "./headers.js";
import type { Health } from "./health.js";
import { uriTooLong } from "./problem.js";

export interface SystemRouterOptions {
  readonly health: Health;
  /** The OpenAPI document. */
  readonly document: object;
  readonly commonHeaders: CommonHeaders;
}

/** What needs no token and belongs to no service: health, the API document and its reference. */
export function createSystemRouter({ health, document, commonHeaders }: SystemRouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(refuseOversized(commonHeaders));
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
  return router;
}

const URL_LENGTH_MAX = 8 * 1_024;

function refuseOversized(commonHeaders: CommonHeaders): RequestHandler {
  return (request, response, next) => {
    const { expect } = request.headers;
    const isLong = request.originalUrl.length > URL_LENGTH_MAX;
    const isUnmet = expect !== undefined && expect.toLowerCase() !== "100-continue";
    if (!isLong && !isUnmet) {
      next();
      return;
    }
    commonHeaders(openExchange(request, response));
    answerProblem(response, isLong ? uriTooLong(URL_LENGTH_MAX) : malformed("expect", expect ?? "").problem);
  };
}
