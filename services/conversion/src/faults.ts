import { violation } from "@assistant/kit/rules/violation.js";
import { Fault, invalid, unavailable } from "@assistant/kit/wire/fault.js";

const FILE = ["file"];

/** No bytes. */
export function empty(): Fault {
  return invalid(violation(FILE, "file_empty", "The file is empty"));
}

/** Damaged, cut short, or hostile in a way that no honest program writes. */
export function corrupt(): Fault {
  return invalid(violation(FILE, "file_corrupt", "The file is damaged or not what its name says"));
}

/** Encrypted, or locked by a password. */
export function passwordProtected(): Fault {
  return invalid(violation(FILE, "file_password_protected", "The file is password protected"));
}

/** Beyond what may be unpacked, drawn or computed for one file. */
export function tooComplex(): Fault {
  return invalid(violation(FILE, "file_too_complex", "The file is too complex to convert"));
}

/** More columns, or a longer text, than a sheet can hold. */
export function sheetLimitExceeded(): Fault {
  return invalid(violation(FILE, "sheet_limit_exceeded", "The table exceeds what a sheet can hold"));
}

/**
 * Nothing here ever converts such files, or the content is not what the name says. `detected` is the extension that
 * fits the content, null if none is known; `expected` the extensions that would do.
 */
export function unsupported(detected: string | null, expected: readonly string[]): Fault {
  const text = "Unsupported Media Type";
  return new Fault("unsupported", text, {
    violations: [violation(FILE, "unsupported_media_type", text, { detected, expected: [...expected] })],
  });
}

/** More bytes than may be sent. */
export function tooLarge(maxBytes: number): Fault {
  const text = "Payload Too Large";
  return new Fault("large", text, {
    violations: [violation(FILE, "payload_too_large", text, { max_bytes: maxBytes })],
  });
}

/** What could convert it is not there; it may be installed. */
export function noEngine(extension: string): Fault {
  return unavailable(`no engine that converts ${extension} is at work`, undefined, 60);
}

/** All that converts is busy. */
export function busy(): Fault {
  return unavailable("the queue of conversions is full", undefined, 2);
}
