import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from "express";
import { answerOptions, type CommonHeaders } from "./answer.js";
import { openExchange } from "./exchange.js";
import type { Gate, Passage } from "./gate.js";
import type { Page } from "./page.js";
import { createPageProxy, type PageProxy } from "./page-proxy.js";
import { allowOf, refusingPassage } from "./row-router.js";

export interface PageRouterOptions {
  readonly pages: readonly Page[];
  /** Where identity serves them. */
  readonly pagesUrl: string;
  readonly pageSilenceMs?: number;
  readonly gate: Gate;
  readonly commonHeaders: CommonHeaders;
}

/** Express routes for every page. What is no page is left to those who come after. */
export function createPageRouter(options: PageRouterOptions): Router {
  const { pages, pagesUrl, pageSilenceMs: silenceMs = SILENCE_MS, gate, commonHeaders } = options;
  const router = Router({ caseSensitive: true, strict: true });
  const serves = (path: string) => pages.some((page) => isAt(page, path));
  const proxy = createPageProxy({ target: pagesUrl, serves, silenceMs });
  for (const [path, rows] of byPath(pages)) {
    const route = router.route(path.replaceAll(/\{([a-z]+)\}/g, ":$1"));
    if (rows.some(({ takes }) => takes !== undefined)) {
      for (const page of rows) route[page.method](whereTaken(page, gate(pagePassage(page, proxy))));
      // Otherwise Express would answer by itself.
      route.options(leave);
      continue;
    }
    const acts = rows.some((page) => page.acts);
    const allow = allowOf(
      rows.map(({ method }) => method),
      !acts,
    );
    if (acts) route.head(gate(refusingPassage(path, true, allow)));
    for (const page of rows) route[page.method](gate(pagePassage(page, proxy)));
    route.options((request: Request, response: Response) => {
      const exchange = openExchange(request, response);
      commonHeaders(exchange);
      answerOptions(exchange, allow);
    });
    route.all(gate(refusingPassage(path, true, allow)));
  }
  router.use(undecodable);
  return router;
}

const leave: RequestHandler = (_request, _response, next) => next();

/** Express fails on a path that is not UTF-8: such a path names no page. */
const undecodable: ErrorRequestHandler = (_error, _request, _response, next) => next();

const SILENCE_MS = 10_000;

function pagePassage({ path, rate, bodyBytesMax }: Page, proxy: PageProxy): Passage {
  return { route: path, open: true, rate, form: false, handle: (exchange) => proxy.pass(exchange, bodyBytesMax) };
}

/** Handles what the page takes, and leaves the rest. */
function whereTaken({ takes }: Page, handle: ReturnType<Gate>): RequestHandler {
  return (request, response, next) => {
    if (takes !== undefined && !takes(request)) next();
    else void handle(request, response);
  };
}

function isAt({ path }: Page, sent: string): boolean {
  const [before = "", after] = path.split(/\{[a-z]+\}/);
  if (after === undefined) return sent === path;
  return sent.startsWith(before) && sent.endsWith(after) && !sent.slice(before.length).includes("/");
}

function byPath(pages: readonly Page[]): ReadonlyMap<string, readonly Page[]> {
  const paths = new Map<string, Page[]>();
  for (const page of pages) paths.set(page.path, [...(paths.get(page.path) ?? []), page]);
  return paths;
}
