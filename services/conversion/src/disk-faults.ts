import { isNativeError } from "node:util/types";
import { unavailable } from "@assistant/kit/wire/fault.js";

/** What to tell where an error means that the disk is full, or that no more files can be opened; else the error itself. */
export function asDiskFault(error: unknown): unknown {
  const isShortage = isNativeError(error) && "code" in error && SHORTAGES.has(String(error.code));
  return isShortage ? unavailable("there is no room for the file", error, RETRY_AFTER_S) : error;
}

const SHORTAGES: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE"]);
const RETRY_AFTER_S = 5;
