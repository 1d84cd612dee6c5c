/** The permission that an operation takes; undefined: it takes none, or nobody needs to be told. */
export function wordOf(operation: string): string | undefined {
  const [method = "", path = ""] = operation.split(" ");
  const special = SPECIAL[operation];
  if (special !== undefined) return special === "" ? undefined : special;
  const found = NAMES.find(([start]) => path === start || path.startsWith(`${start}/`));
  if (found === undefined) throw new Error(`no permission tells of ${operation}`);
  return `${found[1]}.${method === "GET" ? "read" : "write"}`;
}

/** What is not said by the beginning of the path; empty: no permission. */
const SPECIAL: Readonly<Record<string, string>> = {
  // Everybody who has a token may, and of what is published nobody needs one.
  "POST /api/core/auth/introspect": "",
  "GET /api/core/me/permissions": "",
  "GET /api/core/saml/metadata": "",
  "POST /api/pdf-converter": "",
  "POST /api/xlsx-converter": "",
  "GET /api/pdf-converter/formats": "",
  "GET /api/xlsx-converter/formats": "",
  "PATCH /api/core/orgs/{org_id}": "org.write",
  // Whoever is no admin gets those groups that they are in.
  "GET /api/core/groups": "own_groups.read",
  "PUT /api/core/models/{model_id}/enabled": "enabled_models.write",
  // Guests may read a use case, but not what its editors work from.
  "GET /api/core/use-cases/{use_case_id}/translations": "use_case_translations.read",
  // Read without changing anything.
  "POST /api/core/guided_search_fields/use_case/{use_case_id}/render": "guided_search_fields.read",
  "POST /api/core/saml/connections/{connection_id}/test": "saml_connections.read",
};

/** The first that fits counts. */
const NAMES: readonly (readonly [string, string])[] = [
  ["/api/core/orgs/{org_id}/members", "org_members"],
  ["/api/core/orgs/{org_id}/domains", "org_domains"],
  ["/api/core/orgs", "orgs"],
  ["/api/core/users", "users"],
  ["/api/core/groups", "groups"],
  ["/api/core/service-accounts/{service_account_id}/magic-links", "magic_links"],
  ["/api/core/service-accounts", "service_accounts"],
  ["/api/core/use-cases/{use_case_id}/qr-link", "qr_links"],
  ["/api/core/use-cases", "use_cases"],
  ["/api/core/guided_search_fields/use_case", "guided_search_fields"],
  ["/api/core/guided_search_fields/knowledge_asset", "knowledge_asset_fields"],
  ["/api/core/knowledge_assets", "knowledge_assets"],
  ["/api/core/knowledge_sources", "knowledge_sources"],
  ["/api/core/user/sessions", "own_sessions"],
  ["/api/core/sessions", "sessions"],
  ["/api/core/user/login-history", "login_history"],
  ["/api/core/user", "profile"],
  ["/api/core/models", "models"],
  ["/api/core/platform_settings", "platform_settings"],
  ["/api/core/saml/keys", "saml_keys"],
  ["/api/core/saml/connections", "saml_connections"],
];
