import { anonymous, type Caller } from "@assistant/kit/caller/caller.js";
import { ProfileServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/profile_service.js";
import { IdentityServiceService as identity } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { installProgram, tokenOf } from "../testing/clients.js";
import { hire, openOrg, type Person, personOf, present, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { openSession } from "../testing/sessions.js";
import { permissionsOf } from "./permissions.js";

let platform: Platform;
let root: Person;
let admin: Person;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  admin = await openOrg(platform);
});

afterAll(() => platform.close());

const caller = (changed: Partial<Caller>): Caller => ({ ...anonymous, principalId: "usr_1", ...changed });

describe("what somebody may do", () => {
  test("is told of the token: org, role, groups", async () => {
    const member = await hire(platform, admin);
    const { id } = present((await admin.ask(identity.createGroup, { name: "Group" })).group);
    await admin.ask(identity.createGroupMember, { group_id: id, principal_id: member.id, manager: true });
    const manager = await personOf(platform, member.email);
    const answer = await manager.ask(rpcs.getPermissions, {});
    expect(answer).toMatchObject({
      org_id: admin.orgId,
      role: "ROLE_MEMBER",
      platform_admin: false,
      group_ids: [id],
      managed_group_ids: [id],
      use_case_id: undefined,
    });
    expect(answer.permissions).toContain("group_contexts.write");
    expect(answer.permissions).not.toContain("contexts.write");
  });

  test("is what the token may, not what its owner might", async () => {
    const program = await installProgram(admin, "admin");
    const { access_token } = await tokenOf(platform, program, { scope: "member" });
    const answer = await platform.bearer(access_token).ask(rpcs.getPermissions, {});
    expect(answer.role).toBe("ROLE_MEMBER");
    expect(answer.permissions).not.toContain("users.write");
  });

  test("of a guest is to read the one use case and what the page around it shows", async () => {
    const account = await installProgram(admin);
    const useCaseId = platform.catalog.addUseCase(admin.orgId);
    const { accessToken } = await openSession(platform, account, { useCaseId, method: "qr_link" });
    const answer = await platform.bearer(accessToken).ask(rpcs.getPermissions, {});
    expect(answer.use_case_id).toBe(useCaseId);
    expect(answer.permissions).toEqual([
      "contexts.resolve",
      "guided_search_fields.read",
      "knowledge_assets.read",
      "platform_settings.read",
      "profile.read",
      "use_cases.read",
    ]);
  });

  test("grows with the role, and for platform admins beyond the org", async () => {
    const [member, editor, all, platformAdmin] = [
      permissionsOf(caller({ role: "member" })),
      permissionsOf(caller({ role: "editor" })),
      permissionsOf(caller({ role: "admin" })),
      permissionsOf(caller({ role: "admin", platformAdmin: true })),
    ];
    expect(editor).toEqual(expect.arrayContaining(member));
    expect(all).toEqual(expect.arrayContaining(editor));
    expect(platformAdmin).toEqual(expect.arrayContaining(all));
    expect(editor.filter((word) => !member.includes(word))).toEqual([
      "context_categories.write",
      "contexts.write",
      "guided_search_fields.write",
      "use_cases.write",
    ]);
    expect(platformAdmin.filter((word) => !all.includes(word))).toEqual([
      "models.write",
      "org_domains.write",
      "orgs.write",
      "platform_settings.write",
      "saml_keys.write",
    ]);
    expect(all).toEqual([...new Set(all)].sort());
    expect((await root.ask(rpcs.getPermissions, {})).permissions).toEqual(platformAdmin);
  });

  test("is told to those who have a token: 401", async () => {
    const asked = platform.bearer("").ask(rpcs.getPermissions, {});
    expect(await refusal(asked)).toMatchObject({ kind: "unauthenticated" });
  });
});
