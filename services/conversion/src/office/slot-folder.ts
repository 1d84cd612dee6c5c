import { randomUUID } from "node:crypto";
import { chmod, chown, copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeProfile } from "./profile.js";

/** The folder in which one office lives. Offices of other slots, and other users of the machine, get at none of it. */
export interface SlotFolder {
  readonly path: string;
  readonly profile: string;
  /** An empty folder for one job, that the office may write to. */
  createJobFolder(): Promise<JobFolder>;
  /** Only once nothing runs in it any more. */
  remove(): Promise<void>;
}

/** Whom the office runs as, where that is not the user of this process. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface JobFolder {
  /** As this process sees it. */
  readonly path: string;
  /** As the office sees it, from the slot's folder. */
  readonly name: string;
}

/**
 * What stands directly in the folder belongs to this process, so that an office that a file has taken over can put no
 * link in the place of a folder that this process, maybe as root, writes to.
 */
export async function createSlotFolder(parent: string, owner: Owner | undefined): Promise<SlotFolder> {
  const path = await mkdtemp(join(parent, "slot-"));
  const profile = join(path, "profile");
  await chmod(path, owner === undefined ? 0o700 : 0o755);
  await Promise.all(PROGRAMS.map((name) => copyFile(join(PROGRAM_FOLDER, name), join(path, name))));
  await Promise.all(["root", "jobs", "tmp"].map((name) => mkdir(join(path, name), { mode: 0o711 })));
  await writeProfile(profile);
  const given = ["tmp", "profile", "profile/user", "profile/user/registrymodifications.xcu", ...PROGRAMS];
  await Promise.all(given.map((name) => give(join(path, name), owner)));
  return {
    path,
    profile,
    async createJobFolder() {
      const name = join("jobs", randomUUID());
      await mkdir(join(path, name), { mode: 0o700 });
      return { path: join(path, name), name };
    },
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Makes it the property of whom the office runs as, and of nobody else. */
export async function give(path: string, owner: Owner | undefined): Promise<void> {
  if (owner !== undefined) {
    await chown(path, owner.uid, owner.gid);
  }
}

/** The programs that run on the other side of the sandbox. */
export const PROGRAM_FOLDER = fileURLToPath(new URL("../../office/", import.meta.url));
export const WORKER = "office-worker.py";
// Copied into each slot: the sandbox shows nothing of where this service is installed.
const PROGRAMS = [WORKER, "office_documents.py"];
