import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./problem.mjs";

/**
 * Files that only we may read, made once.
 *
 * @typedef {{ keyringFile: string, bootstrapTokenFile: string, platformId: string, password: (name: string) => string }} Secrets
 */

/**
 * @param {string} dataFolder
 * @returns {Secrets}
 */
export function openSecrets(dataFolder) {
  const folder = join(dataFolder, "secrets");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const keyringFile = join(folder, "keyring.json");
  const bootstrapTokenFile = join(folder, "bootstrap-token");
  kept(keyringFile, () => JSON.stringify({ active: "k1", keys: { k1: randomBytes(32).toString("base64") } }));
  kept(bootstrapTokenFile, randomText);
  const platformId = kept(join(folder, "platform-id"), randomUUID);
  return {
    keyringFile,
    bootstrapTokenFile,
    platformId,
    password: (name) => kept(join(folder, `${name}-password`), randomText),
  };
}

function randomText() {
  return randomBytes(32).toString("base64url");
}

/**
 * @param {string} file
 * @param {() => string} make
 */
function kept(file, make) {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  const text = make();
  // Under its name only when whole: a start cut short leaves no empty secret behind.
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return text;
}
