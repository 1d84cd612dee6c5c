import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { type ConnectionTestParts, connectionTest } from "./connection-test.js";
import { connections } from "./connections.js";
import { orgDomains } from "./domains.js";
import { type MetadataParts, spDescription } from "./metadata.js";

export type SamlParts = ConnectionTestParts & MetadataParts;

/** All rpcs about SAML. */
export function saml(parts: SamlParts): Handlers<typeof rpcs> {
  return { ...spDescription(parts), ...connections(parts), ...connectionTest(parts), ...orgDomains(parts) };
}
