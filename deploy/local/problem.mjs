import { getSystemErrorMap } from "node:util";

/**
 * Something the operator can put right: shown as its one line, without a stack.
 *
 * @param {string} text what is wrong and what to do
 * @param {unknown} [cause]
 * @returns {Error}
 */
export function problem(text, cause) {
  const error = new Error(text, { cause });
  error.name = "Problem";
  return error;
}

/**
 * What the operator reads about a failure: one line where the cause is known, else everything there is.
 *
 * @param {unknown} error
 * @returns {string}
 */
export function explain(error) {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "Problem") return error.message;
  const path = "path" in error ? ` ${String(error.path)}` : "";
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "53100") return `The disk is full${path}: free some space and start again.`;
  if (code === "EDQUOT") return `The disk quota is used up${path}: free some space and start again.`;
  if (code === "EROFS") return `The file system is read-only${path}: name a writable folder with --data DIR.`;
  if (code === "EACCES" || code === "EPERM") {
    const text = systemTexts().get(code) ?? code;
    const action = "syscall" in error ? String(error.syscall) : "open";
    return `No right to ${action}${path} (${text}): name a folder of yours with --data DIR.`;
  }
  return error.stack ?? error.message;
}

/**
 * The code by which Node or Postgres names a failure.
 *
 * @param {unknown} error
 * @returns {string | undefined}
 */
export function codeOf(error) {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

function systemTexts() {
  return new Map([...getSystemErrorMap().values()]);
}
