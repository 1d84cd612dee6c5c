// The whole platform on this machine with one command: `npm start`.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { claimFolder } from "./claim.mjs";
import { sweepEphemeral } from "./ephemeral.mjs";
import { START_HELP, startOptions } from "./options.mjs";
import { dataFolder } from "./place.mjs";
import { explain } from "./problem.mjs";
import { runPlatform } from "./run.mjs";

const ROOT = join(import.meta.dirname, "..", "..");

// The terminal may be gone before us: what is said to it then is for nobody, and no reason to leave things running.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

try {
  const options = startOptions(process.argv.slice(2), process.env);
  if (options.help) console.log(START_HELP);
  else await start(options);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

/** @param {import("./options.mjs").Options} options */
async function start(options) {
  await sweepEphemeral();
  const folder = dataFolder(ROOT, options, !process.env.DATABASE_URL);
  const taken = await claimFolder(folder);
  if ("running" in taken) {
    const { url, launcher } = taken.running;
    console.log(`Already running at ${url} (data: ${folder}). Ctrl-C there or \`kill ${launcher.pid}\` stops it.`);
    return;
  }
  try {
    await runPlatform({ root: ROOT, folder, options, claim: taken.claim });
  } finally {
    taken.claim.release();
    if (options.ephemeral) rmSync(folder, { recursive: true, force: true });
  }
}
