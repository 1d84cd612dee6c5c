import { once } from "node:events";
import { createServer } from "node:http";

/** A web server that notes what it is asked for, and has something for everybody. */
export interface Listener {
  readonly url: string;
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export async function openListener(): Promise<Listener> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end("SECRET");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
