import { SamlServiceService as saml } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { file, type Route, route } from "../route.js";

const METADATA_MEDIA = ["application/samlmetadata+xml", "application/xml"] as const;
const METADATA_CACHE = "public, max-age=3600";

/** Sign-in by SAML: our metadata and keys, connections with identity providers, domains of orgs. */
export const samlRoutes: readonly Route[] = [
  file("/api/core/saml/metadata", saml.getSamlMetadata, {
    file: "metadata",
    media: METADATA_MEDIA,
    namedByClient: true,
    cache: METADATA_CACHE,
  }),
  file("/saml/metadata", saml.getSamlMetadata, {
    file: "metadata",
    media: METADATA_MEDIA,
    namedByClient: true,
    open: true,
    alias: true,
    cache: METADATA_CACHE,
  }),
  route("post", "/api/core/saml/keys/rotate", saml.rotateSamlKeys, { respond: "*" }),

  route("post", "/api/core/saml/connections", saml.createSamlConnection, {
    body: "*",
    respond: "saml_connection",
    status: 201,
    location: "/api/core/saml/connections/{id}",
    versioned: true,
  }),
  route("get", "/api/core/saml/connections", saml.listSamlConnections, { respond: "*" }),
  route("get", "/api/core/saml/connections/{connection_id}", saml.getSamlConnection, {
    respond: "saml_connection",
    versioned: true,
  }),
  route("put", "/api/core/saml/connections/{connection_id}", saml.updateSamlConnection, {
    body: "*",
    respond: "saml_connection",
    versioned: true,
  }),
  route("delete", "/api/core/saml/connections/{connection_id}", saml.deleteSamlConnection, {
    respond: "*",
    versioned: true,
  }),
  route("post", "/api/core/saml/connections/{connection_id}/import", saml.importSamlMetadata, {
    body: "*",
    respond: "saml_connection",
    versioned: true,
  }),
  route("post", "/api/core/saml/connections/{connection_id}/test", saml.testSamlConnection, {
    respond: "*",
    rate: "write",
    deadline: "write",
  }),

  route("put", "/api/core/orgs/{org_id}/domains/{domain}", saml.putOrgDomain, { respond: "org_domain" }),
  route("get", "/api/core/orgs/{org_id}/domains", saml.listOrgDomains, { respond: "*" }),
  route("delete", "/api/core/orgs/{org_id}/domains/{domain}", saml.deleteOrgDomain, { respond: "*" }),
];
