import { readFileSync } from "node:fs";
import { loadDemoOnce } from "./demo-once.mjs";
import { greeting } from "./greeting.mjs";
import { interruption } from "./interruption.mjs";
import { openPlace } from "./place.mjs";
import { startPlatform } from "./platform.mjs";
import { explain } from "./problem.mjs";
import { marked } from "./process-mark.mjs";
import { register } from "./registry.mjs";

/**
 * @typedef {import("./options.mjs").Options} Options
 * @typedef {import("./place.mjs").Place} Place
 * @typedef {import("./platform.mjs").Platform} Platform
 * @typedef {import("./supervision.mjs").Part} Part
 */

/**
 * Runs the platform until it is asked to end; whatever happens, nothing of it is left running.
 *
 * @param {{ root: string, folder: string, options: Options, claim: import("./claim.mjs").Claim }} start
 */
export async function runPlatform({ root, folder, options, claim }) {
  const startedAtMs = Date.now();
  const watcher = { log: (/** @type {string} */ line) => console.error(line), started: claim.noteChild };
  const place = openPlace({ root, folder, isEphemeral: options.ephemeral, watcher });
  /** @type {Part[]} */
  const parts = [];
  const signal = interruption({ log: watcher.log, force: () => endAtOnce(parts) });
  let unregister = () => {};
  try {
    const platform = await startPlatform({ place, options, parts, signal });
    unregister = registerHere(place, platform, options.port);
    if (options.demo) await loadDemo(place, platform);
    claim.noteUrl(platform.url);
    // First on the list, so last to be waited for: what it may have to finish keeps no other part running.
    if (platform.install !== undefined) parts.unshift(platform.install());
    const seconds = (Date.now() - startedAtMs) / 1_000;
    console.log(greeting({ ...place, port: options.port, seconds, platform }));
    await new Promise((resolve) => (signal.aborted ? resolve(undefined) : signal.addEventListener("abort", resolve)));
  } catch (error) {
    if (error !== signal.reason) throw error;
  } finally {
    unregister();
    await stopAll(parts);
  }
}

/**
 * @param {Place} place
 * @param {Platform} platform
 * @param {number} port
 */
function registerHere(place, platform, port) {
  const launcher = marked(process.pid);
  if (launcher === undefined) throw new Error("this process cannot find itself");
  return register({ launcher, port, url: platform.url, bootstrapTokenFile: place.secrets.bootstrapTokenFile });
}

/**
 * A platform without them is still of use; the next start tries again.
 *
 * @param {Place} place
 * @param {Platform} platform
 */
async function loadDemo(place, { url }) {
  const bootstrapToken = readFileSync(place.secrets.bootstrapTokenFile, "utf8").trim();
  try {
    await loadDemoOnce({ folder: place.folder, url, bootstrapToken });
  } catch (error) {
    console.error(`The demo data are not loaded: ${explain(error)}`);
  }
}

/**
 * In the reverse order of starting; one that does not stop keeps the others from nothing.
 *
 * @param {readonly Part[]} parts
 */
async function stopAll(parts) {
  for (const part of parts.toReversed()) {
    try {
      await part.stop();
    } catch (error) {
      console.error(`${part.name} does not stop: ${explain(error)}`);
      process.exitCode = 1;
    }
  }
}

/** @param {readonly Part[]} parts */
function endAtOnce(parts) {
  for (const part of parts.toReversed()) part.kill();
  process.exit(1);
}
