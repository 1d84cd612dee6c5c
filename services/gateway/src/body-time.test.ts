import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { allowBody, watchBody } from "./body-time.js";

let server: Server;

beforeAll(async () => {
  server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** A request that says it has a body of that length, and sends five bytes of it. */
async function arriving(length: number): Promise<IncomingMessage> {
  // A server that listens on a port has an address with one.
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n12345`);
  const [request] = await once(server, "request");
  return request;
}

test("a body that is not there in time is late, one that is there is not, be it read or not", async () => {
  const late: string[] = [];
  const [part, unread, read] = [await arriving(6), await arriving(5), await arriving(5)];
  watchBody(unread, 20, () => late.push("unread"));
  watchBody(read, 20, () => late.push("read"));
  await once(read.resume(), "end");
  await new Promise<void>((resolve) => watchBody(part, 50, resolve));
  expect(late).toEqual([]);
});

test("a body that is allowed another time is late only after that", async () => {
  const late: string[] = [];
  const [more, less] = [await arriving(6), await arriving(6)];
  watchBody(more, 20, () => late.push("more"));
  allowBody(more, 60_000);
  await new Promise<void>((resolve) => {
    watchBody(less, 60_000, resolve);
    allowBody(less, 50);
  });
  expect(late).toEqual([]);
});
