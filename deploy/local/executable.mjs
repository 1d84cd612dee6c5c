import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { codeOf } from "./problem.mjs";

/**
 * The program of this name that a shell would find.
 *
 * @param {string} name
 * @returns {string | undefined}
 */
export function executable(name) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const file = process.platform === "win32" ? `${name}.exe` : name;
  return folders.map((folder) => join(folder, file)).find(runs);
}

/** @param {string} path */
function runs(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}
