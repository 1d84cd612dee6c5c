import type { Revocations } from "@assistant/kit/caller/revocations.js";
import { createVerifier } from "@assistant/kit/caller/verifier.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import { type Served, served } from "@assistant/kit/wire/serve.js";
import { CallersServiceService } from "@assistant/proto/assistant/common/v1/callers.js";
import { LinksServiceService } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { ProfileServiceService } from "@assistant/proto/assistant/identity/v1/profile_service.js";
import { SamlServiceService } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { IdentityServiceService } from "@assistant/proto/assistant/identity/v1/service.js";
import { SessionsServiceService } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { SettingsServiceService } from "@assistant/proto/assistant/identity/v1/settings_service.js";
import { callers } from "./callers.js";
import { groupMembers } from "./group-members.js";
import { groups } from "./groups.js";
import { links } from "./links/links.js";
import { orgMembers } from "./org-members.js";
import { orgs } from "./orgs.js";
import { ownPeer } from "./own-peer.js";
import type { NounParts } from "./parts.js";
import { favorites } from "./profile/favorites.js";
import { logins } from "./profile/logins.js";
import { permissions } from "./profile/permissions.js";
import { profile } from "./profile/profile.js";
import type { SamlTools } from "./saml/open-saml.js";
import { saml } from "./saml/saml.js";
import { serviceAccountKeyRotation } from "./service-account-key-rotation.js";
import { type KeysParts, serviceAccountKeys } from "./service-account-keys.js";
import { serviceAccounts } from "./service-accounts.js";
import { sessions } from "./sessions/sessions.js";
import { tokenIntrospection } from "./sessions/token-introspection.js";
import { tokenRevocation } from "./sessions/token-revocation.js";
import { favicon } from "./settings/favicon.js";
import { models } from "./settings/models.js";
import { platformSettings } from "./settings/platform-settings.js";
import { type TokensParts, tokens } from "./tokens.js";
import { users } from "./users.js";

export interface ServiceParts extends NounParts, KeysParts, TokensParts {
  /** Watches the revocations that this identity lists. */
  revocationsOf(identity: Peer): Revocations;
  saml: SamlTools;
}

/** All that identity serves, and how it verifies tokens itself. */
export function identityService(parts: ServiceParts) {
  const identity = {
    ...tokens(parts),
    ...orgs(parts),
    ...orgMembers(parts),
    ...users(parts),
    ...groups(parts),
    ...groupMembers(parts),
    ...serviceAccounts(parts),
    ...serviceAccountKeys(parts),
  };
  const asked = callers(parts);
  const peer = ownPeer(asked);
  const revocations = parts.revocationsOf(peer);
  const { issuer, audience, clock } = parts;
  const verifier = createVerifier({ identity: peer, revocations, issuer, audience, clock });
  const services: Served[] = [
    served(IdentityServiceService, identity, ["issueToken"]),
    served(SessionsServiceService, sessionsOf(parts, peer), ["revokeToken"]),
    served(LinksServiceService, links(parts)),
    served(SamlServiceService, saml({ ...parts, ...parts.saml }), ["getSamlMetadata"]),
    served(ProfileServiceService, profileOf(parts)),
    served(SettingsServiceService, settingsOf(parts), ["getFavicon"]),
    served(CallersServiceService, asked, ["getKeys", "listRevocations"]),
  ];
  return { services, verifier, revocations };
}

function profileOf(parts: NounParts) {
  return { ...profile(parts), ...logins(parts), ...permissions(), ...favorites(parts) };
}

function settingsOf(parts: NounParts & TokensParts) {
  return { ...platformSettings(parts), ...favicon(parts), ...models(parts) };
}

function sessionsOf(parts: NounParts & KeysParts & TokensParts, identity: Peer) {
  const { issuer, audience, clock } = parts;
  // What is revoked the database says here, at once: memory learns of it a moment later.
  const revocations = { check: () => undefined, isKnown: () => true, close: async () => undefined };
  const verifier = createVerifier({ identity, revocations, issuer, audience, clock });
  return {
    ...sessions(parts),
    ...tokenRevocation({ ...parts, verifier }),
    ...tokenIntrospection({ ...parts, verifier }),
    ...serviceAccountKeyRotation(parts),
  };
}
