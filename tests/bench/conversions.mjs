// Conversions, one after the other: LibreOffice started for each file, the platform over HTTP, and the time its engine says it took.
import { execFile, execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";

const COLD_ROUNDS = 3;
const WARM_ROUNDS = 9;
const OFFICE_MS = 60_000;
const TARGETS = ["pdf", "xlsx"];

const NAMES = ["one-page.docx", "letter.odt", "page.html", "slide.pptx", "small.ods", "small.xls", "table-1k.csv"];
const SAMPLES_FOLDER = join(import.meta.dirname, "../../services/conversion/src/testing/samples/formats");
const SAMPLES = NAMES.map((name) => join(SAMPLES_FOLDER, name));

const run = promisify(execFile);

/** Why there is nothing to compare with; undefined where there is. */
export function officeMissing() {
  try {
    execFileSync("soffice", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "soffice is not installed";
  }
}

/** A row for each file and each target that it can become: of a folder, or else of the samples. The platform must keep no results. */
export async function measureConversions({ url, authorization, folder }) {
  const client = { url, authorization, agent: new Agent({ keepAlive: true }) };
  const office = await openColdOffice();
  try {
    const formats = await formatsWithOffice(client);
    const table = {};
    for (const path of folder === undefined ? SAMPLES : await filesIn(folder)) {
      for (const target of targetsOf(path, formats)) {
        table[`${basename(path)} -> ${target}`] = await measure(client, office, path, target);
      }
    }
    return table;
  } finally {
    client.agent.destroy();
    await office.close();
  }
}

/** What is the target already passes through and costs no engine any time. */
function targetsOf(path, formats) {
  const extension = extname(path).slice(1);
  return TARGETS.filter((target) => target !== extension && formats[target].has(extension));
}

async function filesIn(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
}

async function measure(client, office, path, target) {
  const upload = { path: `/api/${target}-converter`, ...form(path, await readFile(path)) };
  await send(client, upload);
  const [ours, engine] = [[], []];
  for (let round = 0; round < WARM_ROUNDS; round++) {
    const { tookMs, engineMs } = await send(client, upload);
    ours.push(tookMs);
    engine.push(engineMs);
  }
  const cold = [];
  // The first makes the profile, or takes the file into memory.
  await office.convert(path, target);
  for (let round = 0; round < COLD_ROUNDS; round++) cold.push(await office.convert(path, target));
  return row(median(cold), median(ours), median(engine));
}

function row(cold, ours, engine) {
  return {
    "cold soffice ms": round(cold, 0),
    "ours ms": round(ours, 1),
    "engine ms": round(engine, 1),
    "ours / engine": round(ours / engine, 2),
    "times faster than cold": round(cold / ours, 1),
  };
}

/** One process for each file, on a profile that is there already. Answers NaN where nothing comes of it. */
async function openColdOffice() {
  const folder = await mkdtemp(join(tmpdir(), "assistant-bench-office-"));
  const options = ["--headless", "--norestore", `-env:UserInstallation=file://${folder}/profile`];
  const convert = async (path, target) => {
    const startedMs = performance.now();
    await run("soffice", [...options, "--convert-to", target, "--outdir", folder, path]);
    const tookMs = performance.now() - startedMs;
    // It says that all went well even where it knows no way from the one format to the other.
    const output = join(folder, `${basename(path, extname(path))}.${target}`);
    return await rm(output).then(
      () => tookMs,
      () => Number.NaN,
    );
  };
  return { convert, close: () => rm(folder, { recursive: true, force: true }) };
}

/** What can be converted once the offices are warm, by target. */
async function formatsWithOffice(client) {
  for (const giveUpAtMs = Date.now() + OFFICE_MS; Date.now() < giveUpAtMs; ) {
    const lists = await Promise.all(TARGETS.map((target) => list(client, target)));
    if (lists.every((items) => items.some(({ engine }) => engine === "office"))) {
      const extensions = lists.map((items) => new Set(items.map(({ extension }) => extension)));
      return Object.fromEntries(TARGETS.map((target, index) => [target, extensions[index]]));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the platform did not open LibreOffice within ${OFFICE_MS} ms`);
}

async function list({ url, authorization }, target) {
  const answer = await fetch(`${url}/api/${target}-converter/formats`, { headers: { authorization } });
  if (!answer.ok) throw new Error(`the formats were answered ${answer.status}: ${await answer.text()}`);
  const body = await answer.json();
  return body.items ?? body;
}

/** Made before the clock runs: what the client spends on it is not the platform's time. */
function form(path, bytes) {
  const boundary = randomUUID();
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="input${extname(path)}"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { body, headers: { "content-type": `multipart/form-data; boundary=${boundary}` } };
}

async function send({ url, authorization, agent }, { path, headers, body }) {
  const startedMs = performance.now();
  const sent = request(`${url}${path}`, { method: "POST", agent, headers: { ...headers, authorization } });
  sent.end(body);
  // Rejects where the request fails instead.
  const [answer] = await once(sent, "response");
  const bytes = Buffer.concat(await answer.toArray());
  const tookMs = performance.now() - startedMs;
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${bytes.toString()}`);
  return { tookMs, engineMs: engineTime(answer.headers["server-timing"]) };
}

function engineTime(timing) {
  const steps = new Map([...timing.matchAll(/(\w+);dur=([\d.]+)/g)].map(([, step, ms]) => [step, Number(ms)]));
  if (!steps.has("load")) throw new Error(`the result was not converted just now: ${timing}`);
  return steps.get("load") + (steps.get("export") ?? 0);
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

function round(value, digits) {
  return Number.isNaN(value) ? "none" : Number(value.toFixed(digits));
}
