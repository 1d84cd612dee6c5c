import { fieldRequired, type Violation, valueError } from "@assistant/kit/rules/violation.js";
import { invalid } from "@assistant/kit/wire/fault.js";
import { given } from "@assistant/kit/wire/given.js";
import type {
  SamlConnection,
  UpdateSamlConnectionRequest,
} from "@assistant/proto/assistant/identity/v1/saml_connections.js";
import type { SamlGroupRule as SamlGroupRuleMessage } from "@assistant/proto/assistant/identity/v1/saml_settings.js";
import type {
  SamlConnectionRow,
  SamlConnectionSettings,
  SamlGroupRule,
  SamlProvider,
} from "../store/saml-connections.js";
import { presentRole, readRole } from "../words.js";
import { readCertificates } from "./certificates.js";
import { providerUrlProblem } from "./provider-url.js";
import { BINDINGS, NAME_ID_FORMATS, SYNC_MODES, wordOf } from "./words.js";

/** What both requests say that write a connection. */
export type SettingsRequest = Omit<UpdateSamlConnectionRequest, "connection_id">;

/** The settings of a request, with the provider that it describes, or that its metadata describes. */
export function readSettings(request: SettingsRequest, provider: SamlProvider): SamlConnectionSettings {
  const slug = given(request.slug);
  const settings = {
    ...provider,
    slug,
    name: request.name ?? slug,
    metadata_url: request.metadata_url ?? null,
    want_response_signed: request.want_response_signed ?? false,
    allow_cbc: request.allow_cbc ?? false,
    allow_idp_initiated: request.allow_idp_initiated ?? false,
    clock_skew_ms: request.clock_skew_ms ?? CLOCK_SKEW_MS,
    nameid_format: wordOf(NAME_ID_FORMATS, request.nameid_format) ?? "persistent",
    attribute_mapping: { ...request.attribute_mapping },
    group_mapping: request.group_mapping.map(readRule),
    sync_mode: wordOf(SYNC_MODES, request.sync_mode) ?? "import",
    jit: request.jit ?? false,
    link_by_email: request.link_by_email ?? false,
    default_role: readRole(request.default_role) ?? "member",
    enabled: request.enabled ?? true,
  };
  if (settings.allow_cbc && !settings.want_response_signed) {
    throw invalid(valueError(["allow_cbc"], "AES-CBC is only taken inside of signed responses"));
  }
  return settings;
}

/** The provider that a request describes field by field. */
export function readProvider(request: SettingsRequest, nowMs: number): SamlProvider {
  const { entity_id, sso_url, slo_url } = request;
  const { certificates, violation } = readCertificates(request.certificates, nowMs);
  const violations: Violation[] = [
    ...(entity_id === undefined ? [fieldRequired(["entity_id"])] : []),
    ...(sso_url === undefined ? [fieldRequired(["sso_url"])] : urlViolations("sso_url", sso_url)),
    ...(slo_url === undefined ? [] : urlViolations("slo_url", slo_url)),
    ...(request.certificates.length === 0 ? [fieldRequired(["certificates"])] : []),
    ...(violation === undefined ? [] : [violation]),
  ];
  if (violations.length > 0) {
    throw invalid(...violations);
  }
  return {
    entity_id: given(entity_id),
    sso_url: given(sso_url),
    sso_binding: wordOf(BINDINGS, request.sso_binding) ?? "redirect",
    slo_url: slo_url ?? null,
    slo_binding: wordOf(BINDINGS, request.slo_binding) ?? "redirect",
    slo_response_url: null,
    certificates,
  };
}

export function presentConnection(row: SamlConnectionRow): SamlConnection {
  // What is not listed here is not for the API.
  const { id, slug, name, entity_id, sso_url, clock_skew_ms } = row;
  const { want_response_signed, allow_cbc, allow_idp_initiated, jit, link_by_email, enabled } = row;
  return {
    ...{ id, slug, name, entity_id, sso_url, clock_skew_ms },
    ...{ want_response_signed, allow_cbc, allow_idp_initiated, jit, link_by_email, enabled },
    sso_binding: BINDINGS[row.sso_binding],
    slo_url: row.slo_url ?? undefined,
    slo_binding: BINDINGS[row.slo_binding],
    certificates: [...row.certificates],
    metadata_url: row.metadata_url ?? undefined,
    metadata_read_at: row.metadata_read_at ?? undefined,
    metadata_failure: row.metadata_failure ?? undefined,
    nameid_format: NAME_ID_FORMATS[row.nameid_format],
    attribute_mapping: row.attribute_mapping,
    group_mapping: row.group_mapping.map(presentRule),
    sync_mode: SYNC_MODES[row.sync_mode],
    default_role: presentRole(row.default_role),
  };
}

const CLOCK_SKEW_MS = 60_000;

function urlViolations(field: string, url: string): Violation[] {
  const problem = providerUrlProblem(url);
  return problem === undefined ? [] : [valueError([field], problem)];
}

function readRule({ value, role, group_id }: SamlGroupRuleMessage): SamlGroupRule {
  return { value: given(value), role: readRole(role), group_id };
}

function presentRule({ value, role, group_id }: SamlGroupRule): SamlGroupRuleMessage {
  return { value, role: role === undefined ? undefined : presentRole(role), group_id };
}
