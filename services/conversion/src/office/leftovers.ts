import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Removes the sockets of an office that was killed: they lie outside its folder where it sees the machine's own `/tmp`.
 * Only its own go, known by their names; the same user may run other offices.
 */
export async function removePipes(pipe: string, profileFolder: string): Promise<void> {
  const names = [pipe, `SingleOfficeIPC_${profileHash(profileFolder)}`];
  for (const folder of PIPE_FOLDERS) {
    const entries = await readdir(folder).catch(() => []);
    const dead = entries.filter((entry) => entry.startsWith("OSL_PIPE_") && names.some((name) => entry.endsWith(name)));
    await Promise.all(dead.map((entry) => rm(join(folder, entry), { force: true })));
  }
}

// Compiled into LibreOffice, whatever TMPDIR says.
const PIPE_FOLDERS = ["/tmp", "/var/tmp"];

/** How LibreOffice names the socket by which a second process for one profile finds the first: bytes without leading zeros. */
function profileHash(folder: string): string {
  const bytes = createHash("md5").update(pathToFileURL(folder).href, "utf16le").digest();
  return [...bytes].map((byte) => byte.toString(16)).join("");
}
