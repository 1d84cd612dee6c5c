import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { problem } from "./problem.mjs";

// Without the tests: their types are development dependencies, which an installation may omit.
const PROJECTS = [
  "proto",
  "kit",
  "services/gateway",
  "services/catalog",
  "services/contexts",
  "services/conversion",
  "services/identity",
];

/**
 * Compiles what changed since it was compiled last.
 *
 * @param {string} root
 */
export async function build(root) {
  const require = createRequire(import.meta.url);
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  const child = spawn(process.execPath, [tsc, "--build", ...PROJECTS], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw problem(`The sources do not compile:\n${output.trim()}`);
}
