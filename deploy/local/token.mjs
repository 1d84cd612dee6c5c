// Prints an access token of the platform that runs here: `npm run --silent token -- [--user EMAIL] [--port N]`.
import { readFileSync } from "node:fs";
import { tokenOptions } from "./options.mjs";
import { explain, problem } from "./problem.mjs";
import { runningPlatforms } from "./registry.mjs";
import { requestToken } from "./token-request.mjs";

try {
  const { user, port } = tokenOptions(process.argv.slice(2), process.env);
  const { url, bootstrapTokenFile } = platformOf(port);
  console.log(await requestToken({ url, bootstrapToken: readFileSync(bootstrapTokenFile, "utf8").trim(), user }));
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

/**
 * The one on the port; without a port the only one there is.
 *
 * @param {number | undefined} port
 */
function platformOf(port) {
  const running = runningPlatforms();
  const found =
    port === undefined && running.length === 1 ? running[0] : running.find((entry) => entry.port === (port ?? 8080));
  if (found !== undefined) return found;
  if (running.length === 0) throw problem("No platform of yours runs here: start it with `npm start`.");
  const ports = running.map((entry) => `--port ${entry.port}`).join(" or ");
  throw problem(`No platform of yours runs on port ${port ?? 8080}: say ${ports}.`);
}
