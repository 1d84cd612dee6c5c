import { type Served, served } from "@assistant/kit/wire/serve.js";
import { CallersServiceService } from "@assistant/proto/assistant/common/v1/callers.js";
import { IdentityServiceService } from "@assistant/proto/assistant/identity/v1/service.js";
import { callers } from "./callers.js";
import { groupMembers } from "./group-members.js";
import { groups } from "./groups.js";
import { orgMembers } from "./org-members.js";
import { orgs } from "./orgs.js";
import { ownPeer } from "./own-peer.js";
import type { NounParts } from "./parts.js";
import { type KeysParts, serviceAccountKeys } from "./service-account-keys.js";
import { serviceAccounts } from "./service-accounts.js";
import { type TokensParts, tokens } from "./tokens.js";
import { users } from "./users.js";

/** All that identity serves, and itself as the peer of its own verifier. */
export function identityService(parts: NounParts & KeysParts & TokensParts) {
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
  const services: Served[] = [
    served(IdentityServiceService, identity, ["issueToken"]),
    served(CallersServiceService, asked, ["getKeys"]),
  ];
  return { services, peer: ownPeer(asked) };
}
