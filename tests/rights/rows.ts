import { guidedFieldRows } from "./guided-field-rows.js";
import { type Names, newEmail, samlMetadata, samlSettings, type TargetName } from "./targets.js";

/** Answers to root, admin, editor, member, account, guest and stranger, in this order. */
type Statuses = readonly [number, number, number, number, number, number, number];

export interface RightsRow {
  readonly operation: string;
  readonly statuses: Statuses;
  /** What it is tried on. */
  readonly target?: TargetName;
  /** Sent as JSON, or as a form. */
  readonly body?: (names: Names) => object;
}

interface About {
  target?: TargetName;
  body?: (names: Names) => object;
}

/** Everybody, each in the own org; not guests. */
const members = (operation: string, about: About = {}, ok = 200): RightsRow => ({
  operation,
  ...about,
  statuses: [ok, ok, ok, ok, ok, 403, ok],
});

/** Everybody of the org; not guests. */
const colleagues = (operation: string, about: About = {}, ok = 200): RightsRow => ({
  operation,
  ...about,
  statuses: [ok, ok, ok, ok, ok, 403, 404],
});

/** Everybody and guests too. */
const guestsToo = (operation: string, about: About = {}): RightsRow => ({
  operation,
  ...about,
  statuses: [200, 200, 200, 200, 200, 200, 200],
});

/** Admins, on what everybody in the org may know of. */
const admins = (operation: string, about: About = {}, ok = 200): RightsRow => ({
  operation,
  ...about,
  statuses: [ok, ok, 403, 403, 403, 403, 404],
});

/** Admins, each in the own org. */
const adminsAtHome = (operation: string, about: About = {}, ok = 200): RightsRow => ({
  operation,
  ...about,
  statuses: [ok, ok, 403, 403, 403, 403, ok],
});

/** Admins, on what nobody else may know of. */
const adminsAlone = (operation: string, about: About = {}, ok = 200): RightsRow => ({
  operation,
  ...about,
  statuses: [ok, ok, 404, 404, 404, 403, 404],
});

/** Who manages the platform. */
const platformAdmins = (operation: string, about: About = {}, ok = 200): RightsRow => ({
  operation,
  ...about,
  statuses: [ok, 403, 403, 403, 403, 403, 403],
});

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>`;

const ORGS: readonly RightsRow[] = [
  platformAdmins("POST /api/core/orgs", { body: () => ({ name: "Another org" }) }, 201),
  members("GET /api/core/orgs"),
  colleagues("GET /api/core/orgs/{org_id}"),
  admins("PATCH /api/core/orgs/{org_id}", { body: () => ({}) }),
  admins(
    "POST /api/core/orgs/{org_id}/members",
    { target: "leaver", body: ({ user_id }) => ({ user_id, role: "member" }) },
    201,
  ),
  admins("GET /api/core/orgs/{org_id}/members"),
  adminsAlone("GET /api/core/orgs/{org_id}/members/{user_id}", { target: "user" }),
  adminsAlone("PATCH /api/core/orgs/{org_id}/members/{user_id}", { target: "user", body: () => ({ role: "editor" }) }),
  adminsAlone("DELETE /api/core/orgs/{org_id}/members/{user_id}", { target: "user" }),
];

const PRINCIPALS: readonly RightsRow[] = [
  adminsAtHome("POST /api/core/users", { body: () => ({ email: newEmail(), name: "Somebody" }) }, 201),
  adminsAtHome("GET /api/core/users"),
  adminsAlone("GET /api/core/users/{user_id}", { target: "user" }),
  adminsAlone("PATCH /api/core/users/{user_id}", { target: "user", body: () => ({ name: "Another" }) }),

  adminsAtHome("POST /api/core/groups", { body: () => ({ name: "A group" }) }, 201),
  members("GET /api/core/groups"),
  adminsAlone("GET /api/core/groups/{group_id}", { target: "group" }),
  adminsAlone("PATCH /api/core/groups/{group_id}", { target: "group", body: () => ({ name: "Another" }) }),
  adminsAlone("DELETE /api/core/groups/{group_id}", { target: "group" }),
  adminsAlone(
    "POST /api/core/groups/{group_id}/members",
    { target: "groupAndUser", body: ({ user_id }) => ({ principal_id: user_id }) },
    201,
  ),
  adminsAlone("GET /api/core/groups/{group_id}/members", { target: "group" }),
  adminsAlone("GET /api/core/groups/{group_id}/members/{principal_id}", { target: "groupMember" }),
  adminsAlone("DELETE /api/core/groups/{group_id}/members/{principal_id}", { target: "groupMember" }),
];

const SERVICE_ACCOUNTS: readonly RightsRow[] = [
  adminsAtHome("POST /api/core/service-accounts", { body: () => ({ name: "A program" }) }, 201),
  adminsAtHome("GET /api/core/service-accounts"),
  ...(["GET", "DELETE"] as const).map((method) =>
    adminsAlone(`${method} /api/core/service-accounts/{service_account_id}`, { target: "account" }),
  ),
  adminsAlone("PATCH /api/core/service-accounts/{service_account_id}", {
    target: "account",
    body: () => ({ name: "Another" }),
  }),
  adminsAlone(
    "POST /api/core/service-accounts/{service_account_id}/keys",
    { target: "account", body: () => ({}) },
    201,
  ),
  adminsAlone("GET /api/core/service-accounts/{service_account_id}/keys", { target: "account" }),
  adminsAlone("GET /api/core/service-accounts/{service_account_id}/keys/{key_id}", { target: "key" }),
  adminsAlone("DELETE /api/core/service-accounts/{service_account_id}/keys/{key_id}", { target: "key" }),
  adminsAlone(
    "POST /api/core/service-accounts/{service_account_id}/keys/{key_id}/rotate",
    { target: "key", body: () => ({}) },
    201,
  ),
  adminsAlone(
    "POST /api/core/service-accounts/{service_account_id}/magic-links",
    { target: "account", body: () => ({}) },
    201,
  ),
  adminsAlone("GET /api/core/service-accounts/{service_account_id}/magic-links", { target: "magicLink" }),
  adminsAlone("GET /api/core/service-accounts/{service_account_id}/magic-links/{token_id}", { target: "magicLink" }),
  adminsAlone("DELETE /api/core/service-accounts/{service_account_id}/magic-links/{token_id}", {
    target: "magicLink",
  }),
];

const USE_CASES: readonly RightsRow[] = [
  {
    operation: "POST /api/core/use-cases",
    body: () => ({ label: { en: "A use case" } }),
    statuses: [201, 201, 201, 403, 403, 403, 201],
  },
  guestsToo("GET /api/core/use-cases"),
  {
    operation: "GET /api/core/use-cases/{use_case_id}",
    target: "useCase",
    statuses: [200, 200, 200, 200, 200, 404, 404],
  },
  {
    operation: "PUT /api/core/use-cases/{use_case_id}",
    target: "useCase",
    body: () => ({ label: { en: "Another" } }),
    statuses: [200, 200, 200, 403, 403, 403, 404],
  },
  {
    operation: "DELETE /api/core/use-cases/{use_case_id}",
    target: "useCase",
    statuses: [200, 200, 200, 403, 403, 403, 404],
  },
  {
    operation: "POST /api/core/use-cases/{use_case_id}/restore",
    target: "deletedUseCase",
    statuses: [200, 200, 200, 404, 404, 403, 404],
  },
  colleagues("GET /api/core/use-cases/{use_case_id}/translations", { target: "useCase" }),
  {
    operation: "GET /api/core/use-cases/{use_case_id}/knowledge-assets",
    target: "useCase",
    statuses: [200, 200, 200, 200, 200, 404, 404],
  },
  {
    operation: "PUT /api/core/use-cases/{use_case_id}/knowledge-assets/{knowledge_asset_id}",
    target: "useCaseAndAsset",
    body: () => ({}),
    statuses: [200, 200, 200, 403, 403, 403, 404],
  },
  {
    operation: "DELETE /api/core/use-cases/{use_case_id}/knowledge-assets/{knowledge_asset_id}",
    target: "attachedAsset",
    statuses: [200, 200, 200, 403, 403, 403, 404],
  },
  admins("POST /api/core/use-cases/{use_case_id}/qr-link", { target: "useCase", body: () => ({}) }, 201),
  admins("GET /api/core/use-cases/{use_case_id}/qr-link", { target: "qrLink" }),
  admins("POST /api/core/use-cases/{use_case_id}/qr-link/rotate", { target: "qrLink", body: () => ({}) }, 201),
  admins("GET /api/core/use-cases/{use_case_id}/qr-link/magic-links", { target: "qrLink" }),
  admins("GET /api/core/use-cases/{use_case_id}/qr-link/magic-links/{token_id}", { target: "qrLink" }),
  admins("DELETE /api/core/use-cases/{use_case_id}/qr-link/magic-links/{token_id}", { target: "qrLink" }),
  admins("GET /api/core/use-cases/{use_case_id}/qr-link/magic-links/{token_id}/qr.svg", { target: "qrLink" }),
  admins("GET /api/core/use-cases/{use_case_id}/qr-link/magic-links/{token_id}/qr.png", { target: "qrLink" }),
];

const SOURCE = "/api/core/knowledge_sources/{knowledge_source_id}";
const ASSET = "/api/core/knowledge_assets/{knowledge_asset_id}";

const KNOWLEDGE: readonly RightsRow[] = [
  adminsAtHome("POST /api/core/knowledge_sources", { body: () => ({ name: "A source" }) }, 201),
  adminsAtHome("GET /api/core/knowledge_sources"),
  adminsAlone(`GET ${SOURCE}`, { target: "knowledgeSource" }),
  adminsAlone(`PUT ${SOURCE}`, { target: "knowledgeSource", body: () => ({ name: "Another" }) }),
  adminsAlone(`DELETE ${SOURCE}`, { target: "knowledgeSource" }),
  adminsAlone(
    `POST ${SOURCE}/grants`,
    { target: "knowledgeGrant", body: ({ principal_id }) => ({ principal_id }) },
    201,
  ),
  adminsAlone(`GET ${SOURCE}/grants`, { target: "heldKnowledgeGrant" }),
  adminsAlone(`GET ${SOURCE}/grants/{principal_id}`, { target: "heldKnowledgeGrant" }),
  adminsAlone(`DELETE ${SOURCE}/grants/{principal_id}`, { target: "heldKnowledgeGrant" }),
  adminsAtHome("POST /api/core/knowledge_assets", { body: () => ({ label: { en: "An asset" } }) }, 201),
  guestsToo("GET /api/core/knowledge_assets"),
  { operation: `GET ${ASSET}`, target: "knowledgeAsset", statuses: [200, 200, 200, 200, 200, 404, 404] },
  admins(`PUT ${ASSET}`, { target: "knowledgeAsset", body: () => ({ label: { en: "Another" } }) }),
  admins(`DELETE ${ASSET}`, { target: "knowledgeAsset" }),
  adminsAlone(`POST ${ASSET}/restore`, { target: "deletedKnowledgeAsset" }),
];

const ONESELF: readonly RightsRow[] = [
  members("POST /api/core/auth/introspect", { target: "ownToken", body: ({ token }) => ({ token }) }),
  members("GET /api/core/user/sessions"),
  members("DELETE /api/core/user/sessions/{session_id}", { target: "ownSession" }),
  adminsAtHome("GET /api/core/sessions"),
  admins("DELETE /api/core/sessions/{session_id}", { target: "memberSession" }),
  guestsToo("GET /api/core/user/profile"),
  members("PATCH /api/core/user/profile", { body: () => ({ preferred_language: "sv" }) }),
  members("PATCH /api/core/user/profile/model", { target: "model", body: ({ model_id }) => ({ model: model_id }) }),
  members("GET /api/core/user/login-history"),
  colleagues("PUT /api/core/user/favorites/{use_case_id}", { target: "useCase" }),
  members("DELETE /api/core/user/favorites/{use_case_id}", { target: "useCase" }),
  guestsToo("GET /api/core/me/permissions"),
];

const SETTINGS: readonly RightsRow[] = [
  members("GET /api/core/models"),
  platformAdmins("PUT /api/core/models/{model_id}", { target: "model", body: () => ({ name: "Another" }) }),
  platformAdmins("DELETE /api/core/models/{model_id}", { target: "model" }),
  adminsAtHome("PUT /api/core/models/{model_id}/enabled", { target: "model", body: () => ({ enabled: true }) }),
  guestsToo("GET /api/core/platform_settings"),
  platformAdmins("PUT /api/core/platform_settings", { body: () => ({ name: "Example" }) }),
  guestsToo("GET /api/core/platform_settings/favicon"),
  platformAdmins("PUT /api/core/platform_settings/favicon", {
    body: () => ({ content_type: "image/svg+xml", data: Buffer.from(ICON).toString("base64") }),
  }),
  platformAdmins("DELETE /api/core/platform_settings/favicon"),
];

const CONNECTION = "/api/core/saml/connections/{connection_id}";
const DOMAIN = "/api/core/orgs/{org_id}/domains/{domain}";

const SAML: readonly RightsRow[] = [
  guestsToo("GET /api/core/saml/metadata"),
  platformAdmins("POST /api/core/saml/keys/rotate"),
  adminsAtHome("POST /api/core/saml/connections", { target: "newSamlConnection", body: samlSettings }, 201),
  adminsAtHome("GET /api/core/saml/connections"),
  admins(`GET ${CONNECTION}`, { target: "samlConnection" }),
  admins(`PUT ${CONNECTION}`, { target: "samlConnection", body: samlSettings }),
  admins(`DELETE ${CONNECTION}`, { target: "samlConnection" }),
  admins(`POST ${CONNECTION}/import`, {
    target: "samlConnection",
    body: (names) => ({ metadata_xml: samlMetadata(names) }),
  }),
  admins(`POST ${CONNECTION}/test`, { target: "samlConnection" }),
  { operation: `PUT ${DOMAIN}`, target: "newDomain", statuses: [200, 403, 403, 403, 403, 403, 404] },
  admins("GET /api/core/orgs/{org_id}/domains"),
  { operation: `DELETE ${DOMAIN}`, target: "domain", statuses: [200, 403, 403, 403, 403, 403, 404] },
];

/** A file that is converted wherever the service runs, whatever else is installed. */
const upload = (name: string) => () => {
  const form = new FormData();
  form.set("file", new Blob(["a,b\n1,2\n"]), name);
  return form;
};

const CONVERSION: readonly RightsRow[] = [
  members("POST /api/pdf-converter", { body: upload("table.txt") }),
  members("POST /api/xlsx-converter", { body: upload("table.csv") }),
  members("GET /api/pdf-converter/formats"),
  members("GET /api/xlsx-converter/formats"),
];

/** Every operation that needs a token, but those of contexts. */
export const rows: readonly RightsRow[] = [
  ...ORGS,
  ...PRINCIPALS,
  ...SERVICE_ACCOUNTS,
  ...USE_CASES,
  ...KNOWLEDGE,
  ...guidedFieldRows,
  ...ONESELF,
  ...SETTINGS,
  ...SAML,
  ...CONVERSION,
];
