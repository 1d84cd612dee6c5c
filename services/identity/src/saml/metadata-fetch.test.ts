import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { type Egress, openEgress } from "./egress.js";
import { metadataFetch } from "./metadata-fetch.js";
import { isInNetwork, isNetwork, isPublicAddress } from "./network.js";

const strict = openEgress([]);
const local = openEgress(["127.0.0.0/8", "::1/128"]);
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

afterAll(() => Promise.all([strict.close(), local.close()]));

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const fetched = (egress: Egress, url: string) => metadataFetch(egress)(url);

describe("addresses that stand in place of a name", () => {
  test.each([
    "http://127.0.0.1:9/",
    "https://10.0.0.1/",
    "https://192.168.1.1/",
    "https://172.16.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/",
    "https://0.0.0.0/",
    "https://[::1]/",
    "https://[::]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[::127.0.0.1]/",
    "https://[4000::1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
  ])("%s is not asked", async (url) => {
    expect(await fetched(strict, url)).toEqual({ ok: false, failure: "The address is not public" });
  });
});

describe("names", () => {
  test("that resolve to an address inside are not connected to", async () => {
    const url = new URL(await serve((_request, response) => response.end("inside")));
    url.hostname = "localhost";
    expect(await fetched(strict, url.href)).toEqual({ ok: false, failure: "The address could not be reached" });
    expect(await fetched(local, url.href)).toEqual({ ok: true, xml: "inside" });
  });

  test("are asked over https, unless they are this machine", async () => {
    expect(await fetched(strict, "http://idp.example/metadata")).toEqual({
      ok: false,
      failure: "The address must be https",
    });
  });
});

describe("what is found there", () => {
  test("is read, up to 100 KiB", async () => {
    const at = await serve((request, response) => response.end("x".repeat(Number(request.url?.slice(1)))));
    expect(await fetched(local, `${at}/102400`)).toEqual({ ok: true, xml: "x".repeat(102_400) });
    expect(await fetched(local, `${at}/102401`)).toMatchObject({
      ok: false,
      failure: expect.stringContaining("102400"),
    });
  });

  test("may be elsewhere, five times at most, and never inside", async () => {
    const at = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end("found");
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect(await fetched(local, `${at}/5`)).toEqual({ ok: true, xml: "found" });
    expect(await fetched(local, `${at}/6`)).toEqual({ ok: false, failure: "The address redirects too often" });
    const inward = await serve((_request, response) =>
      response.writeHead(302, { location: "https://10.0.0.1/" }).end(),
    );
    expect(await fetched(local, inward)).toEqual({ ok: false, failure: "The address is not public" });
    const nowhere = await serve((_request, response) => response.writeHead(302, { location: "http://" }).end());
    expect(await fetched(local, nowhere)).toEqual({ ok: false, failure: "The address redirects to nowhere" });
    const file = await serve((_request, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end());
    expect(await fetched(local, file)).toMatchObject({ ok: false });
    const written = await serve((_request, response) =>
      response.writeHead(302, { location: "data://localhost/,x" }).end(),
    );
    expect(await fetched(local, written)).toEqual({ ok: false, failure: "The address must be https" });
  });

  test("must be there, and text", async () => {
    const missing = await serve((_request, response) => response.writeHead(404).end("no"));
    expect(await fetched(local, missing)).toEqual({ ok: false, failure: "The address answers 404" });
    const binary = await serve((_request, response) => response.end(Buffer.from([0xff, 0xfe])));
    expect(await fetched(local, binary)).toEqual({ ok: false, failure: "The metadata is not UTF-8" });
    const cut = await serve((_request, response) => response.destroy());
    expect(await fetched(local, cut)).toEqual({ ok: false, failure: "The address could not be reached" });
  });

  test("must come within five seconds", async () => {
    const slow = await serve((_request, response) => response.writeHead(200).write("<"));
    const startedMs = performance.now();
    expect(await fetched(local, slow)).toEqual({ ok: false, failure: "The address did not answer in time" });
    expect(performance.now() - startedMs).toBeLessThan(8_000);
  }, 15_000);
});

test("networks are read as CIDR, and addresses are found in those of their kind", () => {
  expect(["10.0.0.0/8", "fd00::/8"].every(isNetwork)).toBe(true);
  expect(["10.0.0.0", "10.0.0.0/33", "x/8", ""].some(isNetwork)).toBe(false);
  expect(isInNetwork("::ffff:10.1.2.3", "10.0.0.0/8")).toBe(true);
  expect(isInNetwork("10.1.2.3", "fd00::/8")).toBe(false);
  expect(["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"].every(isPublicAddress)).toBe(true);
  expect(isPublicAddress("idp.example")).toBe(false);
});
