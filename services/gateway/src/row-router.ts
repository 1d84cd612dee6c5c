import type { Peer } from "@assistant/kit/wire/dial.js";
import { type ErrorRequestHandler, type Request, type Response, Router } from "express";
import { answerOptions, type CommonHeaders } from "./answer.js";
import { openExchange } from "./exchange.js";
import type { Gate, Passage } from "./gate.js";
import type { Operation } from "./operation.js";
import { methodNotAllowed, notFound } from "./problem.js";
import { refusal } from "./refusal.js";
import type { Method } from "./route.js";
import { forward, receive } from "./transcode.js";
import { forwardUpload } from "./upload.js";
import type { UploadLimits } from "./upload-limits.js";
import { type AnyOperation, isUpload, type UploadOperation } from "./upload-operation.js";

export interface RowRouterOptions {
  readonly operations: readonly AnyOperation[];
  readonly uploads: UploadLimits;
  readonly peerOf: (operation: AnyOperation) => Peer;
  readonly gate: Gate;
  readonly commonHeaders: CommonHeaders;
}

/** Express routes for every row; what no row takes is answered 405 or 404, to those who may ask at all. */
export function createRowRouter({ operations, uploads, peerOf, gate, commonHeaders }: RowRouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, rows] of byPath(operations)) {
    const route = router.route(expressPath(path));
    for (const operation of rows) {
      const peer = peerOf(operation);
      const passage = isUpload(operation) ? uploadPassage(operation, peer, uploads) : rowPassage(operation, peer);
      route[operation.route.method](gate(passage));
    }
    const allow = allowOf(rows.map(({ route: row }) => row.method));
    route.options((request: Request, response: Response) => {
      const exchange = openExchange(request, response);
      commonHeaders(exchange);
      answerOptions(exchange, allow);
    });
    route.all(
      gate(
        refusingPassage(
          path,
          rows.every(({ route: row }) => row.open),
          allow,
        ),
      ),
    );
  }
  const unknown = gate(unknownPassage());
  router.use(unknown);
  // Express fails on a path that is not UTF-8: such a path names nothing.
  const undecodable: ErrorRequestHandler = (_error, request, response, _next) => unknown(request, response);
  router.use(undecodable);
  return router;
}

function rowPassage(operation: Operation, peer: Peer): Passage {
  const { route, isRepeatable } = operation;
  return {
    route: route.path,
    open: route.open,
    rate: route.rate ?? (isRepeatable ? "read" : "write"),
    form: route.form,
    handle: async (exchange, request) => {
      // None of our paths has a wildcard, so every parameter is one text.
      const parameters = request.params as Readonly<Record<string, string>>;
      const sent = await receive(operation, exchange, parameters);
      exchange.locate = (violation) => operation.locate(violation, sent);
      await forward(operation, peer, exchange, sent);
    },
  };
}

function uploadPassage(operation: UploadOperation, peer: Peer, limits: UploadLimits): Passage {
  const { path, open, rate } = operation.route;
  return {
    route: path,
    open,
    rate,
    form: false,
    handle: async (exchange) => {
      // Services speak of the file by the name of its part; bytes are not repeated.
      exchange.locate = (found) => ({ ...found, path: ["body", ...found.path], input: null });
      await forwardUpload({ operation, peer, exchange, limits });
    },
  };
}

/** Answers a method that a path does not take. */
export function refusingPassage(path: string, open: boolean, allow: string): Passage {
  return {
    route: path,
    open,
    rate: "read",
    form: false,
    handle: async ({ request }) => {
      throw refusal(methodNotAllowed(request.method ?? "", allow));
    },
  };
}

function unknownPassage(): Passage {
  return {
    route: undefined,
    open: false,
    rate: "read",
    form: false,
    handle: async () => {
      throw refusal(notFound());
    },
  };
}

/** Paths without parameters come first: `/contexts/order` also looks like `/contexts/{context_id}`. */
function byPath(operations: readonly AnyOperation[]): readonly (readonly [string, readonly AnyOperation[]])[] {
  const paths = new Map<string, AnyOperation[]>();
  for (const operation of operations) {
    const rows = paths.get(operation.route.path) ?? [];
    paths.set(operation.route.path, [...rows, operation]);
  }
  return [...paths].sort(([one], [other]) => one.split("{").length - other.split("{").length);
}

function expressPath(path: string): string {
  return path.replaceAll(/\{([a-z0-9_]+)\}/g, ":$1");
}

/** What `Allow` says of a path with these methods; HEAD goes with GET, unless it is said not to. */
export function allowOf(methods: readonly Method[], takesHead = true): string {
  const shown = methods.flatMap((method) => (method === "get" && takesHead ? ["GET", "HEAD"] : method.toUpperCase()));
  return [...shown, "OPTIONS"].join(", ");
}
