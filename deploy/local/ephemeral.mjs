import { readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endChildren, readNote } from "./claim.mjs";
import { EPHEMERAL_PREFIX } from "./place.mjs";
import { stillRuns } from "./process-mark.mjs";

/** Clears away what ephemeral platforms left behind whose launcher was killed. */
export async function sweepEphemeral() {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(EPHEMERAL_PREFIX));
  for (const folder of names.map((name) => join(tmpdir(), name)).filter(isOurs)) {
    const note = readNote(folder);
    // Without a note it is just being laid down, or somebody is removing it.
    if (note === undefined || stillRuns(note.launcher)) continue;
    await endChildren(note);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
function isOurs(folder) {
  return statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
}
