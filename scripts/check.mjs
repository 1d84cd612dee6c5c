// Every static check of the repository, one after the other; all of them run, so that one run shows all findings.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const openapi = join(root, ".cache", "openapi.json");

const fingerprint = "find proto/gen -type f | sort | xargs cat | cksum";

mkdirSync(dirname(openapi), { recursive: true });

const steps = [
  [
    "generated code is what the protos say",
    `before=$(${fingerprint}); npm run --silent generate; [ "$before" = "$(${fingerprint})" ]`,
  ],
  ["types", "tsc --build"],
  ["format and lint", "biome check --error-on-warnings ."],
  ["type-aware lint", "oxlint --type-aware --deny-warnings"],
  ["import rules", "depcruise --config .dependency-cruiser.cjs kit services proto/gen tests deploy scripts"],
  ["nothing unused", "knip"],
  ["proto style", "cd proto && buf lint && buf format --diff --exit-code"],
  ["proto only grows", "npm run --silent breaking"],
  [
    "the API document",
    `npm run --silent openapi > ${openapi} && spectral lint --fail-severity=warn ${openapi} && redocly lint ${openapi}`,
  ],
];

const failed = [];
for (const [title, command] of steps) {
  console.log(`\n== ${title}`);
  const env = {
    ...process.env,
    PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}`,
    REDOCLY_TELEMETRY: "off",
  };
  const { status } = spawnSync(command, { cwd: root, env, shell: true, stdio: "inherit" });
  if (status !== 0) failed.push(title);
}
rmSync(openapi, { force: true });

console.log(failed.length === 0 ? `\nAll ${steps.length} checks hold.` : `\nFailed: ${failed.join("; ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
