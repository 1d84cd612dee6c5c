const DEFAULT_PORT = 8080;

/**
 * What the operator reads when everything runs.
 *
 * @param {{
 *   folder: string, logFolder: string, isEphemeral: boolean, port: number, seconds: number,
 *   platform: import("./platform.mjs").Platform,
 * }} start
 */
export function greeting({ folder, logFolder, isEphemeral, port, seconds, platform }) {
  const { url, choices } = platform;
  const suffix = port === DEFAULT_PORT ? "" : ` -- --port ${port}`;
  const rows = {
    API: url,
    Reference: `${url}/docs`,
    Data: isEphemeral ? `${folder} (removed at the end)` : folder,
    Logs: logFolder,
    ...choices,
    Token: `TOKEN=$(npm run --silent token${suffix})`,
  };
  const lines = Object.entries(rows).map(([name, value]) => `  ${name.padEnd(11)}${value}`);
  return `
The platform is running (${seconds.toFixed(1)} s).

${lines.join("\n")}

Ctrl-C stops all of it. Made for trying and developing, not for production.`;
}
