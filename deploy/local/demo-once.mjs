import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadDemo } from "./demo.mjs";
import { requestToken } from "./token-request.mjs";

/**
 * Loads the demo data into a platform that does not have them yet.
 *
 * @param {{ folder: string, url: string, bootstrapToken: string }} platform
 */
export async function loadDemoOnce({ folder, url, bootstrapToken }) {
  const marker = join(folder, "demo-loaded");
  if (existsSync(marker)) return;
  await loadDemo({ url, token: await requestToken({ url, bootstrapToken }) });
  writeFileSync(marker, "");
}
