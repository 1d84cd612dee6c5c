import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log } from "@assistant/kit/process/log.js";
import express, { type Express, type Router } from "express";
import { pageFileRouter } from "../pages/page-files.js";
import type { Pages } from "../pages/pages.js";
import { accessLog } from "./access-log.js";
import { onError } from "./error.js";

export interface ListenerOptions {
  /** `127.0.0.1:50062`; port 0 takes a free one. */
  readonly listen: string;
  /** What is served beside the start page and the pages' own files. */
  readonly routers: readonly Router[];
  readonly pages: Pages;
  /** Addresses, or networks, that may say on whose behalf they ask: the gateways. */
  readonly trustedProxies: readonly string[];
  readonly log: Log;
}

export interface Listener {
  readonly port: number;
  /** Takes no new connections, lets running requests end, and breaks them off after the grace. */
  stop(graceMs: number): Promise<void>;
}

/** Serves what browsers see of identity. The gateway hands their requests on; nobody else gets to it. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const server = createServer(LIMITS, createApp(options));
  const { host, port } = addressOf(options.listen);
  server.listen(port, host);
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  const address = server.address() as AddressInfo;
  options.log.info({ listen: options.listen, port: address.port }, "pages are served");
  return { port: address.port, stop: (graceMs) => close(server, graceMs) };
}

/** Times and sizes that no request exceeds. */
const LIMITS = {
  headersTimeout: 10_000,
  // The gateway hands on bodies as they come, and gives clients this long.
  requestTimeout: 60_000,
  maxHeaderSize: 16 * 1_024,
  connectionsCheckingInterval: 1_000,
} as const;

function createApp({ routers, pages, trustedProxies, log }: ListenerOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.enable("strict routing");
  app.set("trust proxy", [...trustedProxies]);
  app.use(accessLog(log));
  app.get("/", pages.home);
  app.use(pageFileRouter());
  for (const router of routers) app.use(router);
  app.use((request, response) => pages.failure(request, response, 404, "not_found"));
  app.use(onError(pages, log));
  return app;
}

function addressOf(listen: string): { host: string; port: number } {
  const at = listen.lastIndexOf(":");
  const port = Number(listen.slice(at + 1));
  if (at < 1 || !Number.isInteger(port)) throw new Error(`cannot listen on ${listen}: it is no host:port`);
  return { host: listen.slice(0, at).replace(/^\[(.*)\]$/, "$1"), port };
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
