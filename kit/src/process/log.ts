import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";

export type Log = Logger;

/** A log of JSON lines on standard output; `destination` is for those who read them in the same process. */
export function createLog(service: string, version: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service, version },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: REDACTED_PATHS, censor: CENSOR },
    // The last gate: whatever took a token into a text, an error's message above all, it does not leave the process.
    hooks: { streamWrite: (line: string) => line.replace(CREDENTIAL, CENSOR).replace(URL_PASSWORD, `$1${CENSOR}@`) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

const CENSOR = "[redacted]";

const SECRET_NAMES = [
  "authorization",
  "password",
  "secret",
  "client_secret",
  "token",
  "access_token",
  "refresh_token",
  "private_key",
  "api_key",
  "assertion",
];

const REDACTED_PATHS = SECRET_NAMES.flatMap((name) => [name, `*.${name}`]);

// JWTs, our own keys and links, anything presented as a bearer or by HTTP Basic.
const CREDENTIAL = /eyJ[\w-]{8,}(?:\.[\w-]*){2}|asst_sk_\w+|aml_\w+|\b[Bb](?:earer|asic) [\w.~+/=-]+/g;
const URL_PASSWORD = /(\b[a-z]+:\/\/[^\s:/@"]*:)[^\s/@"]+@/g;
