import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Fault, late, unavailable } from "@assistant/kit/wire/fault.js";
import { createProxyMiddleware, proxyEventsPlugin } from "http-proxy-middleware";
import { checkLength, isContinueAwaited, tooLarge } from "./body.js";
import type { Exchange } from "./exchange.js";
import { notFound } from "./problem.js";
import { refusal } from "./refusal.js";

/** Hands requests on as they come. */
export interface PageProxy {
  /** Resolves when the answer is through or its client gone; rejects where there is none to hand back. */
  pass(exchange: Exchange, bodyBytesMax: number): Promise<void>;
}

export interface PageProxyOptions {
  readonly target: string;
  /** Whether the path is one to hand on; anything else never leaves. */
  serves(path: string): boolean;
  /** How long the other side may be silent. */
  readonly silenceMs: number;
}

export function createPageProxy({ target, serves, silenceMs }: PageProxyOptions): PageProxy {
  const transits = new WeakMap<IncomingMessage, Transit>();
  const middleware = createProxyMiddleware<IncomingMessage, ServerResponse>({
    target,
    pathFilter: serves,
    proxyTimeout: silenceMs,
    // The address goes on octet by octet: logout messages are signed over them.
    toProxy: true,
    // The usual ones would answer failures in words of their own; this one alone calls what is in `on`.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    on: {
      proxyReq: (outgoing, request) => transits.get(request)?.follow(outgoing),
      proxyRes: (answer, request, response) => {
        answer.once("error", (error) => transits.get(request)?.fail(error));
        // The other side closes its connection after each answer; whether we close ours is not its business.
        const isLast = response.getHeader("connection") === "close" || !response.shouldKeepAlive;
        answer.headers.connection = isLast ? "close" : "keep-alive";
      },
      error: (error, request) => transits.get(request)?.fail(error),
      econnreset: (error, request) => transits.get(request)?.fail(error),
    },
  });
  return {
    pass: (exchange, bodyBytesMax) =>
      new Promise((resolve, reject) => {
        const { request, response, signal } = exchange;
        checkLength(request, bodyBytesMax);
        if (isContinueAwaited(request)) response.writeContinue();
        const transit = createTransit(reject);
        transits.set(request, transit);
        signal.addEventListener("abort", transit.stop);
        response.once("close", resolve);
        request.url = originForm(request.url);
        request.headers = handedOn(exchange);
        limitBody(request, bodyBytesMax, () => {
          reject(tooLarge(bodyBytesMax));
          transit.stop();
        });
        // It comes back only where `serves` said no, before anything was sent.
        middleware(request, response, (error) => reject(error ?? refusal(notFound()))).catch(reject);
      }),
  };
}

/** One request on the other side. */
interface Transit {
  follow(outgoing: ClientRequest): void;
  fail(error: NodeJS.ErrnoException): void;
  stop(): void;
}

function createTransit(reject: (error: unknown) => void): Transit {
  let sent: ClientRequest | undefined;
  let isStopped = false;
  let isLate = false;
  return {
    follow(outgoing) {
      sent = outgoing;
      // A silence that lasted too long ends in the same error as a connection that broke.
      outgoing.once("timeout", () => {
        isLate = true;
      });
      if (isStopped) outgoing.destroy();
    },
    fail(error) {
      if (!isStopped) reject(isLate ? late("the pages are silent") : faultOf(error));
    },
    stop() {
      isStopped = true;
      sent?.destroy();
    },
  };
}

function faultOf(error: NodeJS.ErrnoException): Fault {
  if (AWAY.has(error.code ?? "")) return unavailable("the pages cannot be reached", error);
  return new Fault("upstream", "the pages broke off", { cause: error });
}

const AWAY = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/** A request line may hold a whole URL; then it is its path that counts. */
function originForm(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : `/${path}`;
}

/** What the other side gets to know: nothing that a client could pretend, and no bearer. */
function handedOn({ request, requestId, traceparent }: Exchange): IncomingHttpHeaders {
  const { headers, ip } = request;
  const kept = Object.fromEntries(KEPT.flatMap((name) => (name in headers ? [[name, headers[name]]] : [])));
  return {
    ...kept,
    // Of transfer codings only the framing is handed on, and Node has taken every other off or refused it.
    ...(headers["transfer-encoding"] === undefined ? {} : { "transfer-encoding": "chunked" }),
    "x-request-id": requestId,
    traceparent,
    ...(ip === undefined ? {} : { "x-forwarded-for": ip }),
  };
}

const KEPT = [
  "accept",
  "accept-language",
  "content-length",
  "content-type",
  "cookie",
  "if-none-match",
  "origin",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "user-agent",
];

function limitBody(request: IncomingMessage, bytesMax: number, refuse: () => void): void {
  let size = 0;
  const count = (chunk: Buffer) => {
    size += chunk.length;
    if (size <= bytesMax) return;
    request.off("data", count);
    request.unpipe();
    // The rest is let through unread, so that the client gets to see the answer.
    request.resume();
    refuse();
  };
  // Paused by name, it does not flow for this listener alone: not before the proxy has put its pipe to it.
  request.pause();
  request.on("data", count);
}
