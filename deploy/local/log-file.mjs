import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { codeOf } from "./problem.mjs";

const ROTATE_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 64 * 1024;
const LONGEST_WORDS = 500;

/**
 * Opens the file a process writes its output to; one that has grown large makes way first.
 *
 * @param {string} file
 * @returns {{ handle: number, size: number }}
 */
export function openLogFile(file) {
  if (sizeOf(file) > ROTATE_BYTES) renameSync(file, `${file}.1`);
  const handle = openSync(file, "a", 0o600);
  return { handle, size: fstatSync(handle).size };
}

/**
 * What was written since the file had this size, at most the last 64 KiB of it.
 *
 * @param {string} file
 * @param {number} size
 */
export function textSince(file, size) {
  const handle = openSync(file, "r");
  try {
    const end = fstatSync(handle).size;
    const start = Math.max(Math.min(size, end), end - TAIL_BYTES);
    const bytes = Buffer.alloc(end - start);
    const read = readSync(handle, bytes, 0, bytes.length, start);
    return bytes.toString("utf8", 0, read);
  } finally {
    closeSync(handle);
  }
}

/**
 * The line of a process' output that tells best why it ended.
 *
 * @param {string} output
 */
export function lastWords(output) {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const entries = lines.map(entryOf);
  const entry =
    entries.findLast((found) => found?.level === "fatal") ?? entries.findLast((found) => found?.level === "error");
  if (entry !== undefined) return cut([entry.msg, entry.err?.message].filter(Boolean).join(": "));
  const thrown = lines.findLast((line) => /^\w*Error\b|\bFATAL\b|\[FTL\]/.test(line));
  return cut(thrown ?? lines.at(-1) ?? "it said nothing");
}

/** @param {string} text */
function cut(text) {
  return text.length > LONGEST_WORDS ? `${text.slice(0, LONGEST_WORDS)} ...` : text;
}

/**
 * @param {string} line
 * @returns {{ level?: string, msg?: string, err?: { message?: string } } | undefined}
 */
function entryOf(line) {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch (error) {
    // A line cut in two by the end of the process.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** @param {string} file */
function sizeOf(file) {
  try {
    return statSync(file).size;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return 0;
    throw error;
  }
}
