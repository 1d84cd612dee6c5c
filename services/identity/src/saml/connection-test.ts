import { given } from "@assistant/kit/wire/given.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import type { SamlConnectionCheck } from "@assistant/proto/assistant/identity/v1/saml_connection_tests.js";
import type { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { listOrgDomains } from "../store/org-domains.js";
import type { SamlConnectionRow } from "../store/saml-connections.js";
import { expiryOf } from "./certificates.js";
import { type ConnectionsParts, connectionInSight } from "./connections.js";
import type { Egress } from "./egress.js";
import { isReachable } from "./reachability.js";
import { CHECK_STATUSES } from "./words.js";

export interface ConnectionTestParts extends ConnectionsParts {
  egress: Egress;
}

/** Looks at all that a connection needs, without signing anybody in. */
export function connectionTest(parts: ConnectionTestParts): Handlers<Pick<typeof rpcs, "testSamlConnection">> {
  return {
    testSamlConnection: async (request, call) => {
      const row = await connectionInSight(parts, call.caller, given(request.connection_id));
      const nowMs = parts.clock();
      const checks = [
        enabledCheck(row),
        ...row.certificates.map((certificate) => certificateCheck(certificate, nowMs)),
        await addressCheck(parts, row),
        ...(await metadataChecks(parts, row)),
        ...(await domainChecks(parts, row)),
      ];
      return { ok: checks.every(({ status }) => status !== CHECK_STATUSES.failed), checks };
    },
  };
}

const DAY_MS = 86_400_000;
const WARN_AHEAD_MS = 30 * DAY_MS;

function check(name: string, status: keyof typeof CHECK_STATUSES, message: string): SamlConnectionCheck {
  return { name, status: CHECK_STATUSES[status], message };
}

function enabledCheck({ enabled }: SamlConnectionRow): SamlConnectionCheck {
  return enabled
    ? check("enabled", "ok", "The connection is on")
    : check("enabled", "failed", "The connection is off: nobody can sign in with it");
}

function certificateCheck(certificate: string, nowMs: number): SamlConnectionCheck {
  const expiresAt = expiryOf(certificate);
  const day = expiresAt.toISOString().slice(0, 10);
  if (expiresAt.getTime() <= nowMs) {
    // It may still verify signatures; a provider that goes on with it wants to be asked why.
    return check("certificate", "warning", `The certificate expired on ${day}`);
  }
  return expiresAt.getTime() - nowMs <= WARN_AHEAD_MS
    ? check("certificate", "warning", `The certificate expires on ${day}`)
    : check("certificate", "ok", `The certificate is good until ${day}`);
}

/** Browsers go there, and may get where we do not: that we cannot is only a warning. */
async function addressCheck({ egress }: ConnectionTestParts, { sso_url }: SamlConnectionRow) {
  return (await isReachable(egress, sso_url))
    ? check("sso_url", "ok", "The address answers")
    : check("sso_url", "warning", "The address does not answer this service; browsers may still get there");
}

async function metadataChecks({ metadata }: ConnectionTestParts, row: SamlConnectionRow) {
  if (row.metadata_url === null) {
    return [];
  }
  const read = await metadata.fetch(row.metadata_url);
  if (!read.ok) {
    return [check("metadata", "warning", `${read.failure}: what was read before stays in use`)];
  }
  return read.value.provider.entity_id === row.entity_id
    ? [check("metadata", "ok", "The metadata can be read")]
    : [check("metadata", "failed", "The metadata is another identity provider's")];
}

async function domainChecks({ db }: ConnectionTestParts, { org_id, link_by_email }: SamlConnectionRow) {
  const [domain] = await listOrgDomains(db, org_id, { limit: 1 });
  if (domain !== undefined) {
    return [check("domains", "ok", "Users can begin with their e-mail address")];
  }
  const text = link_by_email
    ? "The org has no domain: no user is taken by e-mail address"
    : "The org has no domain: users begin with the address of the sign-in";
  return [check("domains", link_by_email ? "warning" : "ok", text)];
}
