import { tmpdir } from "node:os";
import { type Config, readConfig, variable } from "@assistant/kit/process/config.js";
import { busVariables, processVariables } from "@assistant/kit/process/variables.js";

/** Who may call this service, and whom it calls. */
export const calls = { allowedCallers: ["gateway"], peers: ["identity"] } as const;

/** Throws one Error that lists everything wrong with the environment. */
export function serviceConfig(): Config<typeof serviceSpec> {
  return readConfig(serviceSpec, process.env);
}

const MIB = 1_024 * 1_024;

const serviceSpec = {
  ...processVariables,
  ...busVariables,
  /** The address that clients know; the issuer of tokens. */
  PUBLIC_URL: variable.url("http://127.0.0.1:8080"),
  LISTEN: variable.text("127.0.0.1:50054"),
  IDENTITY_URL: variable.text("127.0.0.1:50052"),
  /** The gateway has a limit of the same name, which is the one that clients meet. */
  UPLOAD_MAX_BYTES: variable.integer({ ge: 1, le: 2_048 * MIB }, 100 * MIB),
  /** Where a folder of this process alone is made for what it works on. */
  WORK_FOLDER: variable.text(tmpdir()),
  /** Where results are kept, for this service alone; left out: in the work folder, and so only until the process ends. */
  CACHE_FOLDER: variable.optional(variable.text()),
  /** 0 keeps no results. */
  CACHE_MAX_BYTES: variable.integer({ ge: 0, le: 1_048_576 * MIB }, 256 * MIB),
  CACHE_MAX_AGE: variable.durationMs(24 * 3_600_000),
  /** The `soffice` to use; left out: the one that is installed. */
  OFFICE_PATH: variable.optional(variable.text()),
  /** Offices that run at the same time; 0: none, even where it is installed; left out: one for each core, if memory allows. */
  OFFICE_SLOTS: variable.optional(variable.integer({ ge: 0, le: 64 })),
  /** A file that says `installing` while somebody installs the office. */
  OFFICE_STATE_FILE: variable.optional(variable.text()),
  /** A Gotenberg of at least 8.36, which then makes the PDFs. */
  GOTENBERG_URL: variable.optional(variable.url()),
  /** What takes an engine of this service longer is given up as too complex. */
  JOB_TIMEOUT: variable.durationMs(60_000),
};
