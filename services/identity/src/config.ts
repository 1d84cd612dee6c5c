import { type Config, readConfig, type Variable, variable } from "@assistant/kit/process/config.js";
import { migrationVariables, processVariables, serviceVariables } from "@assistant/kit/process/variables.js";
import { isNetwork } from "./saml/network.js";

/** Who may call this service, and whom it calls. */
export const calls = { allowedCallers: ["gateway", "contexts", "catalog", "conversion"], peers: ["catalog"] } as const;

export type ServiceConfig = Config<typeof serviceSpec>;

/** Throws one Error that lists everything wrong with the environment. */
export function serviceConfig(): ServiceConfig {
  return readConfig(serviceSpec, process.env);
}

/** What the migration needs, which runs as the owner of the schema. */
export function migrationConfig(): Config<typeof migrationVariables> {
  return readConfig(migrationVariables, process.env);
}

/** What the command needs that replaces the signing key. */
export function rotationConfig(): Config<typeof rotationSpec> {
  return readConfig(rotationSpec, process.env);
}

const TOKEN_MIN_LENGTH = 32;

/** Short enough to guess is no secret. */
const rootToken: Variable<string> = {
  secret: true,
  parse(text) {
    if (text.length < TOKEN_MIN_LENGTH) {
      throw new Error(`must have at least ${TOKEN_MIN_LENGTH} characters`);
    }
    return text;
  },
};

const networks: Variable<readonly string[]> = {
  ...variable.list([]),
  parse(text) {
    const parts = variable.list().parse(text);
    for (const part of parts) {
      if (!isNetwork(part)) {
        throw new Error("must be networks such as 10.0.0.0/8, with commas between");
      }
    }
    return parts;
  },
};

const serviceSpec = {
  ...serviceVariables,
  LISTEN: variable.text("127.0.0.1:50052"),
  /** Where the pages for browsers are served, to the gateway alone. */
  HTTP_LISTEN: variable.text("127.0.0.1:50062"),
  /** Addresses, or networks, of the gateways: only they may say where a request for a page came from. */
  TRUSTED_GATEWAYS: variable.list(["loopback"]),
  CATALOG_URL: variable.text("127.0.0.1:50053"),
  /** What identity providers know us by; left out: the address of our metadata. */
  SAML_SP_ENTITY_ID: variable.optional(variable.url()),
  /** Networks in which identity providers may publish their metadata, beside the public ones. */
  EGRESS_ALLOW_CIDRS: networks,
  /** After how many days a new key signs the access tokens. */
  SIGNING_KEY_DAYS: variable.integer({ ge: 1, le: 365 }, 90),
  /** The operator's root credential. Another value replaces it, none does away with it. */
  BOOTSTRAP_TOKEN: variable.optional(rootToken),
  /** Who manages the platform that has nobody yet. */
  BOOTSTRAP_EMAIL: variable.text("admin@localhost"),
  BOOTSTRAP_ORG_NAME: variable.text("First org"),
};

const rotationSpec = { ...processVariables, DATABASE_URL: variable.secret(), KEYRING: variable.secret() };
