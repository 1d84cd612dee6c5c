// GET and POST of a context through the whole platform beside f.mjs, use cases and knowledge assets beside the first pages of their
// lists, interleaved, medians; then conversions beside LibreOffice. Only the ratios of one run mean anything: client and servers
// share the machine's cores.
//
//   npm run bench [-- --rounds 5 --seconds 5 --connections 64 --samples DIR --only requests|conversions]
import { execFile, fork, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import autocannon from "autocannon";
import { startPostgres } from "../../deploy/local/postgres.mjs";
import { measureConversions, officeMissing } from "./conversions.mjs";
import { prepareKnowledge } from "./knowledge.mjs";
import { prepareUseCases } from "./use-cases.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    samples: { type: "string" },
    only: { type: "string" },
  },
});
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
const connections = Number(options.connections);

const launcher = join(import.meta.dirname, "../../deploy/local");
const run = promisify(execFile);
const stops = [];

try {
  await main();
} finally {
  for (const stop of stops.reverse()) await stop();
}

async function main() {
  const platform = await startPlatform();
  if (options.only !== "conversions") await compareRequests(platform);
  if (options.only !== "requests") await compareConversions(platform);
}

async function compareConversions({ url, token }) {
  const missing = officeMissing();
  if (missing !== undefined) {
    console.log(`Conversions (skipped: ${missing})`);
    return;
  }
  const authorization = `Bearer ${await token()}`;
  console.table(await measureConversions({ url, authorization, folder: options.samples }));
}

async function compareRequests(running) {
  const platform = await prepareRequests(running);
  const f = await startYardstick();
  const works = [
    beside("f", "GET one context", f.get, platform.get),
    beside("f", "POST a context", f.post, platform.post),
    platform.useCases,
    platform.knowledge,
  ];
  console.log(
    `${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}, ${connections} connections, ${rounds} rounds of ${seconds} s`,
  );
  const table = [];
  for (const work of works) table.push(...(await measure(work)));
  console.table(Object.fromEntries(table));
}

function beside(yardstick, name, first, target) {
  return { first: { name: `${name}: ${yardstick}`, target: first }, others: [{ name, target }] };
}

/** The rows of a work; the ratios are to its first. */
async function measure({ first, others }) {
  const rows = [first, ...others].map(({ name, target }) => ({ name, target, results: [] }));
  for (const { target } of rows) await fire(target, 1);
  for (let round = 0; round < rounds; round++) {
    for (const { target, results } of rows) results.push(await fire(target, seconds));
  }
  const figures = rows.map(({ results }) => summarise(results));
  return rows.map(({ name }, index) => [name, { ...figures[index], ratio: ratio(figures[index], figures[0]) }]);
}

function ratio(figures, yardstick) {
  return Number((figures["requests/s"] / yardstick["requests/s"]).toFixed(2));
}

async function fire(target, duration) {
  const result = await autocannon({ ...target, connections, duration });
  const failures = result.non2xx + result.errors + result.timeouts;
  if (failures > 0)
    throw new Error(`${failures} of the requests to ${target.url} failed: ${JSON.stringify(result.statusCodeStats)}`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

function summarise(results) {
  const median = (pick) => results.map(pick).sort((a, b) => a - b)[Math.floor(results.length / 2)];
  return {
    "requests/s": Math.round(median((result) => result.rate)),
    "p50 ms": median((result) => result.p50),
    "p99 ms": median((result) => result.p99),
  };
}

async function startPlatform() {
  const port = await freePort();
  // The launcher makes it, open as far as the user that Postgres runs as needs.
  const folder = join(tmpdir(), `assistant-bench-platform-${randomBytes(6).toString("hex")}`);
  const args = [join(launcher, "start.mjs"), "--no-install", "--data", folder, "--no-demo", "--port", String(port)];
  const env = {
    ...process.env,
    RATE_READ_PER_MINUTE: "10000000",
    RATE_WRITE_PER_MINUTE: "10000000",
    RATE_CONVERT_PER_MINUTE: "10000000",
    // What was converted once is to be converted again.
    CACHE_MAX_BYTES: "0",
    LOG_LEVEL: "warn",
  };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  stops.push(async () => {
    child.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await ready(url, child);
  const token = async () => {
    const { stdout } = await run(process.execPath, [join(launcher, "token.mjs"), "--port", String(port)]);
    return stdout.trim();
  };
  return { url, folder, token };
}

async function prepareRequests({ url, folder, token }) {
  const headers = { authorization: `Bearer ${await token()}`, "content-type": "application/json" };
  const callerWith = (other) => callerOf(url, other);
  const call = callerWith(headers);
  const useCases = await prepareUseCases({ url, headers, folder, call });
  const knowledge = await prepareKnowledge({ url, folder, call, callerWith });
  return { ...(await prepare(url, headers, call)), useCases, knowledge };
}

function callerOf(url, headers) {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, { method, headers, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
}

/** One context to read, and as many categories as connections: positions of one category are given out one after the other. */
async function prepare(url, headers, call) {
  const { items } = await call("GET", "/api/core/orgs");
  const scope = items[0].id;
  const bodies = [];
  for (let index = 0; index < connections; index++) {
    const category = await call("POST", "/api/core/context-categories", { name: `Bench ${index}`, scope_id: scope });
    bodies.push(contextBody(category.id, scope));
  }
  const context = await call("POST", "/api/core/contexts", JSON.parse(bodies[0]));
  let next = 0;
  const setupClient = (client) => client.setBody(bodies[next++ % bodies.length]);
  return {
    get: { url: `${url}/api/core/contexts/${context.id}`, headers },
    post: { url: `${url}/api/core/contexts`, method: "POST", headers, setupClient },
  };
}

async function startYardstick() {
  const folder = await mkdtemp(join(tmpdir(), "assistant-bench-"));
  const postgres = await startPostgres({ folder: join(folder, "postgres"), log: () => undefined });
  stops.push(() => rm(folder, { recursive: true, force: true }));
  stops.push(() => postgres.stop());
  const child = fork(join(import.meta.dirname, "f.mjs"), [postgres.url]);
  stops.push(() => child.kill());
  const { port } = await new Promise((resolve) => child.once("message", resolve));
  const url = `http://127.0.0.1:${port}/api/core/contexts`;
  const headers = { "content-type": "application/json" };
  const body = contextBody("cat_bench", "org_bench");
  const { id } = await (await fetch(url, { method: "POST", headers, body })).json();
  return { get: { url: `${url}/${id}` }, post: { url, method: "POST", headers, body } };
}

function contextBody(categoryId, scopeId) {
  return JSON.stringify({
    title: "House style",
    category_id: categoryId,
    context: "Answer briefly, in whole sentences, and name your sources.",
    scope_id: scopeId,
  });
}

async function ready(url, child) {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    if (child.exitCode !== null) throw new Error(`the platform ended with exit code ${child.exitCode}`);
    // Nobody listens yet while it starts.
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the platform was not ready within 60 s");
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
