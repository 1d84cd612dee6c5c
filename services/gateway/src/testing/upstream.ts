import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What stands behind the pages: keeps what reaches it, and answers as a test decides. */
export interface Upstream {
  readonly url: string;
  readonly arrived: Arrival[];
  close(): Promise<void>;
}

/** A request that arrived whole. */
interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Answering = (arrival: Arrival, response: ServerResponse) => void;

export async function startUpstream(answer: Answering, onStart?: (request: IncomingMessage) => void) {
  const arrived: Arrival[] = [];
  const server = createServer((request, response) => {
    onStart?.(request);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    // A request that is broken off is none that arrived.
    request.on("error", () => undefined);
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const arrival = { method, url, headers, body: Buffer.concat(chunks) };
      arrived.push(arrival);
      answer(arrival, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  const upstream: Upstream = {
    url: `http://127.0.0.1:${port}`,
    arrived,
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
  return upstream;
}
