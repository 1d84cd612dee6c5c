import { type Config, readConfig, variable } from "@assistant/kit/process/config.js";
import { busVariables, processVariables } from "@assistant/kit/process/variables.js";

/** Nobody calls the gateway by gRPC; it calls every service. */
export const calls = { allowedCallers: [], peers: ["identity", "catalog", "contexts", "conversion"] } as const;

/** Throws one Error that lists everything wrong with the environment. */
export function gatewayConfig(): Config<typeof gatewaySpec> {
  return readConfig(gatewaySpec, process.env);
}

const gatewaySpec = {
  ...processVariables,
  /** Where it is told which tokens are revoked. */
  ...busVariables,
  BIND: variable.text("127.0.0.1"),
  PORT: variable.port(8_080),
  /** The address that clients know: issuer of tokens, and whether we stand behind TLS. */
  PUBLIC_URL: variable.url("http://127.0.0.1:8080"),
  IDENTITY_URL: variable.text("127.0.0.1:50052"),
  /** Where identity serves its pages. */
  IDENTITY_HTTP_URL: variable.url("http://127.0.0.1:50062"),
  CATALOG_URL: variable.text("127.0.0.1:50053"),
  CONTEXTS_URL: variable.text("127.0.0.1:50051"),
  CONVERSION_URL: variable.text("127.0.0.1:50054"),
  /** Where rate windows are shared between replicas; without it each counts for itself. */
  REDIS_URL: variable.optional(variable.secret()),
  /** Whether icon and SAML metadata are served without a token too, to browsers and identity providers, which have none. */
  PUBLIC_ALIASES: variable.oneOf(["on", "off"], "on"),
  /** Origins whose pages may call us from browsers. */
  CORS_ORIGINS: variable.list([]),
  /** Addresses, or networks, of the proxies before us: only they may say where a request came from. */
  TRUSTED_PROXIES: variable.list([]),
  /** The largest file that may be uploaded. The conversion service reads the same variable. */
  UPLOAD_MAX_BYTES: variable.integer({ ge: 1, le: 1_073_741_824 }, 104_857_600),
  RATE_READ_PER_MINUTE: variable.integer({ ge: 1, le: 10_000_000 }, 60_000),
  RATE_WRITE_PER_MINUTE: variable.integer({ ge: 1, le: 10_000_000 }, 30_000),
  /** What one caller may have converted: apart from writes, since a conversion costs so much more. */
  RATE_CONVERT_PER_MINUTE: variable.integer({ ge: 1, le: 10_000_000 }, 6_000),
  /** For each address. */
  RATE_TOKEN_PER_MINUTE: variable.integer({ ge: 1, le: 10_000_000 }, 30),
  RATE_LOGIN_PER_MINUTE: variable.integer({ ge: 1, le: 10_000_000 }, 30),
  RATE_ACS_PER_MINUTE: variable.integer({ ge: 1, le: 10_000_000 }, 60),
  RATE_CONSUME_PER_MINUTE: variable.integer({ ge: 1, le: 10_000_000 }, 10),
};
