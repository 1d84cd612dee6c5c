import type { Verifier } from "@assistant/kit/caller/verifier.js";
import { quiet } from "@assistant/kit/testing.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { missing } from "@assistant/kit/wire/fault.js";
import type { Handlers } from "@assistant/kit/wire/rpc.js";
import { serve, served } from "@assistant/kit/wire/serve.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";

/** The part of identity that the catalog asks, with the principals of each org. */
export async function servePrincipals(verifier: Verifier) {
  const versions = new Map<string, number>();
  const keyOf = (id: string, orgId: string) => `${orgId}/${id}`;
  const require = (id: string, call: Call) => {
    const version = versions.get(keyOf(id, call.caller.orgId));
    if (version === undefined) throw missing();
    call.reply.version = version;
  };
  const asked = {
    getOrgMember: rpcs.getOrgMember,
    getGroup: rpcs.getGroup,
    getServiceAccount: rpcs.getServiceAccount,
  };
  const handlers: Handlers<typeof asked> = {
    async getOrgMember({ user_id: id = "" }, call) {
      require(id, call);
      return { org_member: { user_id: id, role: "ROLE_MEMBER" } };
    },
    async getGroup({ group_id: id = "" }, call) {
      require(id, call);
      return { group: { id, name: "Group" } };
    },
    async getServiceAccount({ service_account_id: id = "" }, call) {
      require(id, call);
      return { service_account: { id, name: "Program", role: "ROLE_MEMBER", status: "STATUS_ACTIVE" } };
    },
  };
  const server = await serve({
    name: "identity",
    listen: "127.0.0.1:0",
    services: [served(asked, handlers)],
    verifier,
    allowedCallers: ["catalog"],
    log: quiet,
  });
  return {
    port: server.port,
    add: (id: string, orgId: string, version = 1) => void versions.set(keyOf(id, orgId), version),
    stop: () => server.stop(1_000),
  };
}
