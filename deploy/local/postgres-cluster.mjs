import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reachableFolder } from "./folders.mjs";
import { giveTo, postgresAccount } from "./postgres-account.mjs";
import { findBinaries, postgresEnvironment, program } from "./postgres-binaries.mjs";
import { codeOf, problem } from "./problem.mjs";

/**
 * One data folder with all that is needed to run it.
 *
 * @typedef {{
 *   folder: string, data: string, log: string, password: string,
 *   account: import("./postgres-account.mjs").Account | undefined,
 *   binaries: import("./postgres-binaries.mjs").Binaries,
 * }} Cluster
 */

/**
 * The cluster of a folder, made where there is none yet.
 *
 * @param {{ folder: string, durable: boolean }} wanted
 * @returns {Promise<Cluster>}
 */
export async function openCluster({ folder: wanted, durable }) {
  const account = postgresAccount();
  const folder = realpathSync(reachableFolder(wanted, account));
  const data = join(folder, "data");
  const made = existsSync(data);
  const major = made ? majorOf(data) : undefined;
  const binaries = findBinaries({ folder, account, major });
  const cluster = {
    folder,
    data,
    log: join(folder, "postgres.log"),
    password: passwordOf(folder, made),
    account,
    binaries,
  };
  if (!made) await createData(cluster, durable);
  return cluster;
}

/** @param {string} data */
function majorOf(data) {
  const text = readFileSync(join(data, "PG_VERSION"), "utf8");
  const major = Number.parseInt(text, 10);
  if (Number.isNaN(major)) throw problem(`${join(data, "PG_VERSION")} names no version: is this a folder of Postgres?`);
  return major;
}

/**
 * @param {string} folder
 * @param {boolean} made
 */
function passwordOf(folder, made) {
  const file = join(folder, "password");
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    if (made) throw problem(`${file} is missing: put it back, or start with another --data DIR.`, error);
    const password = randomBytes(24).toString("base64url");
    writeFileSync(file, `${password}\n`, { mode: 0o600 });
    return password;
  }
}

/**
 * Under another name until it is whole: a start cut short must not leave half a cluster that looks like one.
 *
 * @param {Cluster} cluster
 * @param {boolean} durable
 */
async function createData(cluster, durable) {
  for (const name of readdirSync(cluster.folder)) {
    if (name.startsWith("data-new-")) rmSync(join(cluster.folder, name), { recursive: true, force: true });
  }
  const unfinished = join(cluster.folder, `data-new-${randomBytes(4).toString("hex")}`);
  giveTo(join(cluster.folder, "password"), cluster.account);
  const options = [`--pgdata=${unfinished}`, `--pwfile=${join(cluster.folder, "password")}`, "--username=postgres"];
  // Without a locale the order of texts is the same on every machine.
  options.push("--auth=scram-sha-256", "--encoding=UTF8", "--no-locale", ...(durable ? [] : ["--no-sync"]));
  const { code, output } = await run(cluster, options);
  if (code !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw refusal(cluster.folder, output);
  }
  renameSync(unfinished, cluster.data);
}

/**
 * @param {Cluster} cluster
 * @param {string[]} options
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function run(cluster, options) {
  const { account } = cluster;
  const child = spawn(program(cluster.binaries, "initdb"), options, {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: cluster.folder,
    env: postgresEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
    // Out of the terminal's reach: an interrupt is for the launcher, which cleans up.
    detached: process.platform !== "win32",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

/**
 * What Postgres said when it gave up, as one line.
 *
 * @param {string} folder
 * @param {string} output
 */
export function refusal(folder, output) {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  if (output.includes("No space left on device")) {
    return problem(`The disk is full: Postgres cannot write to ${folder}. Free some space and start again.`);
  }
  const telling = lines.filter((line) => /FATAL|PANIC|error:/.test(line)).at(-1) ?? lines.at(-1) ?? "it said nothing";
  return problem(`Postgres does not start in ${folder}: ${telling.replace(/^.*?(FATAL|PANIC|error):\s*/, "")}`);
}
