import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { BODY_MS, watchBody } from "./body-time.js";
import { HEADERS_BYTES_MAX, onBrokenRequest } from "./broken-request.js";
import type { FastExpress } from "./fast-express.js";
import { UPLOAD_LIMITS } from "./upload-limits.js";

/** The HTTP server of the gateway. */
export interface HttpServer {
  readonly port: number;
  /** Takes no new connections, lets running requests end, and breaks them off after the grace. */
  stop(graceMs: number): Promise<void>;
}

/** Times and sizes that no request exceeds. */
const LIMITS = {
  headersTimeout: 10_000,
  // What none exceeds; `watchBody` is stricter with all but uploads.
  requestTimeout: UPLOAD_LIMITS.arrivalMs + 60_000,
  // Above that of any load balancer, so that it is never us who close a connection it is about to use.
  keepAliveTimeout: 65_000,
  maxHeaderSize: HEADERS_BYTES_MAX,
  connectionsCheckingInterval: 1_000,
  // Node's own refusal has no body; ours stands where the app refuses other broken headers.
  requireHostHeader: false,
} as const;

export async function listen(fast: FastExpress, bind: string, port: number): Promise<HttpServer> {
  const { IncomingMessage, ServerResponse } = fast;
  const server = createServer({ ...LIMITS, IncomingMessage, ServerResponse });
  let isStopping = false;
  const take = (request: IncomingMessage, response: ServerResponse) => {
    // Clients are sent elsewhere as soon as they have their answer.
    if (isStopping) response.setHeader("Connection", "close");
    watchBody(request, BODY_MS, () => server.emit("clientError", lateBody(), request.socket));
    fast.listener(request, response);
  };
  server.on("request", take);
  // The body is asked for when it is read: not before the bearer holds. The app refuses other expectations.
  server.on("checkContinue", take);
  server.on("checkExpectation", take);
  onBrokenRequest(server);
  server.listen(port, bind);
  await once(server, "listening");
  return {
    // A server that listens on a port has an address with one.
    port: (server.address() as AddressInfo).port,
    stop: (graceMs) => {
      isStopping = true;
      return close(server, graceMs);
    },
  };
}

/** The error that Node itself makes of a request that takes too long. */
function lateBody(): Error {
  return Object.assign(new Error("the body of a request did not arrive in time"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(giveUp);
      resolve();
    });
    server.closeIdleConnections();
  });
}
