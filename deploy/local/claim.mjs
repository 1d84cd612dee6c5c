import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, problem } from "./problem.mjs";
import { isAlive, marked, stillRuns } from "./process-mark.mjs";

/**
 * What a launcher notes in its data folder: itself, its children, and where it answers once it does.
 *
 * @typedef {import("./process-mark.mjs").Marked} Marked
 * @typedef {{ launcher: Marked, children: Record<string, Marked>, url?: string }} Note
 * @typedef {{
 *   noteChild: (name: string, pid: number) => void, noteUrl: (url: string) => void, release: () => void,
 * }} Claim
 */

const NAME = "launcher.json";
const ATTEMPTS = 50;
const POLL_MS = 100;
const STARTING_MS = 60_000;
const LEFTOVER_MS = 10_000;

/**
 * Takes the folder for this launcher alone, after the children of one that was killed are gone; where another launcher
 * runs on it, its note instead.
 *
 * @param {string} folder
 * @returns {Promise<{ claim: Claim } | { running: Note }>}
 */
export async function claimFolder(folder) {
  const file = join(folder, NAME);
  const launcher = marked(process.pid);
  if (launcher === undefined) throw new Error("this process cannot find itself");
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (create(file, { launcher, children: {} })) return { claim: keep(file, { launcher, children: {} }) };
    const text = readText(file);
    const note = text === undefined ? undefined : parsed(text);
    if (note !== undefined && stillRuns(note.launcher)) return { running: await whenStarted(file, note) };
    // No whole note yet: somebody is writing it at this moment, or died while writing.
    if (note === undefined && attempt < 10) await sleep(POLL_MS);
    else if (text !== undefined && takeAway(file, text) && note !== undefined) await endChildren(note);
  }
  throw problem(`${file} changes all the time: are many starts under way on this folder?`);
}

/**
 * Ends the children of a launcher that was killed. Most have noticed by themselves and are about to.
 *
 * @param {Note} note
 */
export async function endChildren(note) {
  const giveUpAtMs = Date.now() + LEFTOVER_MS;
  const left = Object.values(note.children).filter(stillRuns);
  for (const child of left) signal(child, "SIGTERM");
  for (const child of left) {
    while (stillRuns(child) && Date.now() < giveUpAtMs) await sleep(POLL_MS);
    if (stillRuns(child)) signal(child, "SIGKILL");
  }
}

/**
 * @param {string} folder
 * @returns {Note | undefined}
 */
export function readNote(folder) {
  const text = readText(join(folder, NAME));
  return text === undefined ? undefined : parsed(text);
}

/**
 * @param {string} file
 * @param {Note} note
 * @returns {Claim}
 */
function keep(file, note) {
  const write = () => {
    try {
      writeFileSync(`${file}.new`, JSON.stringify(note), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      // A child runs whether it is noted or not, and the next note holds it too. Without one it ends with us.
      if (codeOf(error) !== "ENOSPC") throw error;
    }
  };
  return {
    noteChild(name, pid) {
      const child = marked(pid);
      if (child === undefined) return;
      note.children[name] = child;
      write();
    },
    noteUrl(url) {
      note.url = url;
      write();
    },
    release: () => rmSync(file, { force: true }),
  };
}

/**
 * @param {string} file
 * @param {Note} note
 */
function create(file, note) {
  try {
    writeFileSync(file, JSON.stringify(note), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Two starts may both find the note of a dead launcher: only who renames that very note may go on.
 *
 * @param {string} file
 * @param {string} text
 */
function takeAway(file, text) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
  if (readText(aside) === text) {
    rmSync(aside);
    return true;
  }
  renameSync(aside, file);
  return false;
}

/**
 * @param {Marked} child
 * @param {NodeJS.Signals} name
 */
function signal(child, name) {
  try {
    process.kill(child.pid, name);
  } catch (error) {
    // It ended between the look and the signal.
    if (codeOf(error) !== "ESRCH") throw error;
  }
}

/**
 * @param {string} file
 * @param {Note} first
 */
async function whenStarted(file, first) {
  let note = first;
  const giveUpAtMs = Date.now() + STARTING_MS;
  while (note.url === undefined && Date.now() < giveUpAtMs && isAlive(note.launcher.pid)) {
    await sleep(POLL_MS);
    const text = readText(file);
    note = (text === undefined ? undefined : parsed(text)) ?? note;
  }
  if (note.url === undefined)
    throw problem(`Process ${note.launcher.pid} is starting on this data folder and does not finish.`);
  return note;
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * @param {string} text
 * @returns {Note | undefined}
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
