import { createHash } from "node:crypto";
import { createServer } from "node:net";
import { until } from "@assistant/kit/testing/until.js";
import { quiet } from "@assistant/kit/testing.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { PDFDocument } from "pdf-lib";
import type { Engine } from "../engine.js";
import { type EngineSample, faultOf, testEngine } from "../testing/engine-suite.js";
import { type GotenbergStub, startGotenbergStub } from "../testing/gotenberg-stub.js";
import { openJob } from "../testing/jobs.js";
import { openGotenbergEngine } from "./gotenberg-engine.js";

let stub: GotenbergStub;
beforeAll(async () => {
  stub = await startGotenbergStub();
});
afterAll(() => stub.close());
afterEach(() => {
  stub.answer = undefined;
  stub.isHealthy = true;
  stub.version = "8.36.0";
});

const isAtWork = (engine: Engine) => engine.takes("pdf").size > 0;

async function openAtWork(): Promise<Engine> {
  const engine = openGotenbergEngine({ url: stub.url, log: quiet, everyMs: 10 });
  await until(() => isAtWork(engine));
  return engine;
}

testEngine({
  title: "the Gotenberg engine, with a stub of Gotenberg",
  open: openAtWork,
  samples: [sample("docx", "one"), sample("pptx", "two"), sample("xlsx", "three"), sample("docx", "four")],
  broken: [{ extension: "docx", target: "pdf", bytes: Buffer.from("broken") }],
});

describe("the Gotenberg engine, of its own", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openAtWork();
  });
  afterAll(() => engine.close());

  const outcome = async (bytes = Buffer.from("a document")) => {
    const job = await openJob({ extension: "docx", target: "pdf", bytes });
    const fault = await faultOf(engine.convert(job));
    await job.end();
    return fault;
  };

  test("tells nothing of the file but its bytes and its kind", async () => {
    const job = await openJob({ extension: "docx", target: "pdf", bytes: Buffer.from("a document") });
    await engine.convert(job);
    expect(stub.requests.at(-1)).toEqual({ fields: { reduceImageResolution: "false" }, fileName: "input.docx" });
    await job.end();
  });

  test("makes no workbooks, for Gotenberg does not", () => {
    expect(engine.takes("xlsx").size).toBe(0);
  });

  test.each([
    [400, "invalid"],
    [401, "upstream"],
    [404, "upstream"],
    [413, "large"],
    [429, "unavailable"],
    [500, "unavailable"],
    [503, "unavailable"],
  ])("makes of its answer %i the fault %s", async (status, kind) => {
    stub.answer = (response) => response.writeHead(status).end("why it is so");
    expect((await outcome()).kind).toBe(kind);
  });

  test("says how long to wait where Gotenberg says so, and a minute at most", async () => {
    const answers = [
      ["7", 7],
      ["100000", 60],
      ["soon", 2],
    ] as const;
    for (const [text, seconds] of answers) {
      stub.answer = (response) => response.writeHead(503, { "Retry-After": text }).end();
      expect((await outcome()).retryAfterS).toBe(seconds);
    }
  });

  test("names as limit what is less than the file that was too large", async () => {
    stub.answer = (response) => response.writeHead(413).end();
    expect((await outcome(Buffer.from("four"))).violations[0]?.context).toEqual({ max_bytes: 3 });
  });

  test("does not hand on what is no PDF", async () => {
    stub.answer = (response) => response.writeHead(200).end("<html>a login page</html>");
    expect((await outcome()).kind).toBe("upstream");
    stub.answer = (response) => response.writeHead(200).end();
    expect((await outcome()).kind).toBe("upstream");
  });

  test("does not hand on what is cut short", async () => {
    stub.answer = (response) => {
      response.writeHead(200, { "Content-Length": "1000" });
      response.write("%PDF-1.7", () => response.destroy());
    };
    expect((await outcome()).kind).toBe("unavailable");
  });

  test("does not follow where it is sent elsewhere", async () => {
    stub.answer = (response) => response.writeHead(302, { Location: `${stub.url}/version` }).end();
    expect((await outcome()).kind).toBe("unavailable");
  });

  test("ends its request once nobody waits, and once the time is over", async () => {
    const closed: Promise<void>[] = [];
    stub.answer = (response) => {
      response.write("%PDF-");
      closed.push(new Promise((resolve) => response.once("close", resolve)));
    };
    const gone = new AbortController();
    const job = await openJob({ extension: "docx", target: "pdf", bytes: Buffer.from("x") }, { signal: gone.signal });
    const abandoned = faultOf(engine.convert(job));
    await until(() => closed.length === 1);
    gone.abort(new Fault("late", "the client went away"));
    expect((await abandoned).message).toBe("the client went away");
    const hasty = await openJob(
      { extension: "docx", target: "pdf", bytes: Buffer.from("x") },
      { deadlineMs: Date.now() + 50 },
    );
    expect((await faultOf(engine.convert(hasty))).kind).toBe("late");
    await Promise.all(closed);
    await job.end();
    await hasty.end();
  });

  test("takes nothing while Gotenberg is unhealthy, and again once it is well", async () => {
    stub.isHealthy = false;
    await until(() => !isAtWork(engine));
    stub.isHealthy = true;
    await until(() => isAtWork(engine));
  });

  test.each([
    ["8.35.9", false],
    ["7.99.0", false],
    ["edge", false],
    ["8.36.0", true],
    ["8.100.1", true],
    ["9.0.0", true],
  ])("asks for 8.36 at least: %s", async (version, isTaken) => {
    await until(() => isAtWork(engine));
    // Whatever it was before, it has to notice.
    stub.version = isTaken ? "8.1.0" : "8.36.0";
    await until(() => isAtWork(engine) !== isTaken);
    stub.version = version;
    await until(() => isAtWork(engine) === isTaken);
    if (isTaken) expect(engine.version).toBe(version);
  });

  test("takes nothing where nobody listens, and says that it cannot be reached", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const lost = openGotenbergEngine({ url, log: quiet, everyMs: 10 });
    const job = await openJob({ extension: "docx", target: "pdf", bytes: Buffer.from("x") });
    expect((await faultOf(lost.convert(job))).kind).toBe("unavailable");
    expect(isAtWork(lost)).toBe(false);
    await lost.close();
    await job.end();
  });
});

function sample(extension: string, content: string): EngineSample {
  const bytes = Buffer.from(content);
  const check = async (result: Buffer) => {
    const title = (await PDFDocument.load(result)).getTitle();
    expect(title).toBe(createHash("sha256").update(bytes).digest("hex"));
  };
  return { name: `${extension} ${content}`, extension, target: "pdf", bytes, check };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}
