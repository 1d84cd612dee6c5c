import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { IdentityServiceService as identity } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { hire, openOrg, type Person, present, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { openProvider, type Provider } from "../testing/saml/provider.js";
import { type Asserted, connect, openSite, type Shown, type Site, signInBySaml } from "../testing/saml/site.js";

let platform: Platform;
let site: Site;
let root: Person;
let admin: Person;
let base: Provider;
let entities = 0;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  admin = await openOrg(platform);
  site = await openSite(platform);
  base = await openProvider();
}, 60_000);

afterAll(async () => {
  await site?.close();
  await platform?.close();
});

/** A connection of the org with a provider of its own, and signing in with it. */
async function connected(given: Parameters<typeof connect>[2] = {}, by: Person = admin) {
  entities += 1;
  const provider = { ...base, entityId: `https://idp-${entities}.example` };
  const connection = await connect(by, provider, given);
  const signIn = (said: Asserted) => signInBySaml(site.browser(), provider, connection.slug, said);
  return { connection, signIn };
}

const email = (name: string) => `${name}-${entities}@people.example`;
const attribute = (name: string, ...values: string[]) =>
  `<saml:Attribute Name="${name}">${values
    .map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
    .join("")}</saml:Attribute>`;

interface Member {
  id: string;
  name: string;
  role: string;
  platform_admin: boolean;
}

async function memberOf(orgId: string, address: string): Promise<Member | undefined> {
  const rows = await platform.db.query<Member>(
    "t_member",
    `select id, name, role, platform_admin from users join memberships on user_id = id
     where memberships.org_id = $1 and users.email = $2`,
    [orgId, address],
  );
  return rows[0];
}

async function reasonOf(shown: Promise<Shown>, connectionId: string): Promise<string> {
  const { status } = await shown;
  const rows = await platform.db.query<{ reason: string }>(
    "t_reason",
    `select data->>'reason' as reason from outbox
     where type = 'identity.saml_login.refused' and subject = $1 order by pos desc limit 1`,
    [connectionId],
  );
  return `${status} ${rows[0]?.reason}`;
}

describe("who nobody knew", () => {
  test("is refused unless the connection makes users", async () => {
    const { connection, signIn } = await connected();
    expect(await reasonOf(signIn({ email: email("new") }), connection.id)).toBe("403 user_unknown");
    expect(await memberOf(admin.orgId, email("new"))).toBeUndefined();
  });

  test("is made with the name that is asserted and the connection's role, and is no platform admin", async () => {
    const { signIn } = await connected({ jit: true, default_role: "ROLE_EDITOR" });
    const attributes = attribute("displayName", "Ada Lovelace") + attribute("platform_admin", "true");
    expect((await signIn({ email: email("ada"), attributes })).status).toBe(303);
    expect(await memberOf(admin.orgId, email("ada"))).toEqual({
      id: expect.any(String),
      name: "Ada Lovelace",
      role: "editor",
      platform_admin: false,
    });
  });

  test("is made once, however many sign-ins run at once", async () => {
    const { signIn } = await connected({ jit: true });
    await signIn({ email: email("warm") });
    const shown = await Promise.all([1, 2, 3, 4].map(() => signIn({ nameId: "same", email: email("same") })));
    expect(shown.map(({ status }) => status).filter((status) => status !== 303 && status !== 503)).toEqual([]);
    const rows = await platform.db.query("t_made", "select from users where email = $1", [email("same")]);
    expect(rows).toHaveLength(1);
  });

  test("without an address, with several, or with none that could be one is refused", async () => {
    const { connection, signIn } = await connected({ jit: true, attribute_mapping: { email: "address" } });
    expect(await reasonOf(signIn({}), connection.id)).toBe("403 email_missing");
    const several = attribute("address", "a@people.example", "b@people.example");
    expect(await reasonOf(signIn({ attributes: several }), connection.id)).toMatch(
      /^403 (email_ambiguous|attributes)$/,
    );
    const broken = attribute("address", "no address");
    expect(await reasonOf(signIn({ attributes: broken }), connection.id)).toBe("403 email_malformed");
    // Not a K, but the sign of Kelvin, which becomes one once letters are brought into one form.
    const alike = attribute("address", "\u212A@people.example");
    expect(await reasonOf(signIn({ attributes: alike }), connection.id)).toBe("403 email_malformed");
  });
});

describe("a known name", () => {
  test("is the same user, whatever the address says now", async () => {
    const { signIn } = await connected({ jit: true });
    await signIn({ nameId: "stays", email: email("before") });
    expect((await signIn({ nameId: "stays", email: email("after") })).status).toBe(303);
    expect(await memberOf(admin.orgId, email("after"))).toBeUndefined();
    expect(await memberOf(admin.orgId, email("before"))).toBeDefined();
  });

  test("of a disabled user stays out", async () => {
    const { connection, signIn } = await connected({ jit: true });
    await signIn({ nameId: "left", email: email("left") });
    const user = present(await memberOf(admin.orgId, email("left")));
    await admin.ask(identity.updateUser, { user_id: user.id, status: "STATUS_DISABLED" });
    expect(await reasonOf(signIn({ nameId: "left", email: email("left") }), connection.id)).toBe("403 user_disabled");
  });

  test("of a user who was taken out of the org stays out", async () => {
    const { connection, signIn } = await connected({ jit: true });
    await signIn({ nameId: "gone", email: email("gone") });
    const user = present(await memberOf(admin.orgId, email("gone")));
    await admin.ask(identity.deleteOrgMember, { org_id: admin.orgId, user_id: user.id });
    expect(await reasonOf(signIn({ nameId: "gone" }), connection.id)).toBe("403 user_not_in_org");
  });

  test("of a user who has become a platform admin signs nobody in", async () => {
    const { connection, signIn } = await connected({ jit: true });
    await signIn({ nameId: "boss", email: email("boss") });
    await platform.db.query("t_boss", "update users set platform_admin = true where email = $1", [email("boss")]);
    expect(await reasonOf(signIn({ nameId: "boss" }), connection.id)).toBe("403 user_is_platform_admin");
  });

  test("says nothing in another connection", async () => {
    const first = await connected({ jit: true });
    await first.signIn({ nameId: "shared", email: email("shared") });
    const second = await connected({ jit: true });
    await second.signIn({ nameId: "shared", email: email("shared") });
    const rows = await platform.db.query(
      "t_shared",
      "select distinct user_id from saml_identities where name_id = 'shared'",
      [],
    );
    expect(rows).toHaveLength(2);
  });
});

describe("a user of the same address", () => {
  const domain = "people.example";

  test("is taken where an admin allows it and the domain is the org's", async () => {
    await root.ask(rpcs.putOrgDomain, { org_id: admin.orgId, domain });
    const { signIn } = await connected({ link_by_email: true });
    const { user } = await admin.ask(identity.createUser, { email: email("Old"), name: "Old" });
    expect((await signIn({ nameId: "old", email: email("old") })).status).toBe(303);
    const rows = await platform.db.query<{ user_id: string }>(
      "t_old",
      "select user_id from saml_identities where name_id = 'old'",
      [],
    );
    expect(rows).toEqual([{ user_id: present(user).id }]);
  });

  test("is not given to a second name, whatever address that has", async () => {
    await root.ask(rpcs.putOrgDomain, { org_id: admin.orgId, domain });
    const { connection, signIn } = await connected({ link_by_email: true, jit: true });
    await signIn({ nameId: "former", email: email("desk") });
    expect(await reasonOf(signIn({ nameId: "latter", email: email("desk") }), connection.id)).toBe("403 email_taken");
  });

  test("is not taken without leave, and nobody is made beside", async () => {
    await root.ask(rpcs.putOrgDomain, { org_id: admin.orgId, domain });
    const { connection, signIn } = await connected({ jit: true });
    await admin.ask(identity.createUser, { email: email("kept"), name: "Kept" });
    expect(await reasonOf(signIn({ email: email("kept") }), connection.id)).toBe("403 email_taken");
  });

  test("is not taken where the domain is not the org's", async () => {
    await root.ask(rpcs.deleteOrgDomain, { org_id: admin.orgId, domain });
    await root.ask(rpcs.putOrgDomain, { org_id: root.orgId, domain });
    const { connection, signIn } = await connected({ link_by_email: true, jit: true });
    await admin.ask(identity.createUser, { email: email("far"), name: "Far" });
    expect(await reasonOf(signIn({ email: email("far") }), connection.id)).toBe("403 email_taken");
    await root.ask(rpcs.deleteOrgDomain, { org_id: root.orgId, domain });
    await root.ask(rpcs.putOrgDomain, { org_id: admin.orgId, domain });
  });

  test("is not taken if a platform admin, nor if a guest from another org", async () => {
    await root.ask(rpcs.putOrgDomain, { org_id: admin.orgId, domain });
    const { connection, signIn } = await connected({ link_by_email: true, jit: true });
    await admin.ask(identity.createUser, { email: email("chief"), name: "Chief" });
    await platform.db.query("t_chief", "update users set platform_admin = true where email = $1", [email("chief")]);
    expect(await reasonOf(signIn({ email: email("chief") }), connection.id)).toBe("403 user_is_platform_admin");
    const guest = await hire(platform, root);
    await root.ask(identity.createOrgMember, { org_id: admin.orgId, user_id: guest.id, role: "ROLE_MEMBER" });
    expect(await reasonOf(signIn({ email: guest.email }), connection.id)).toBe("403 email_taken");
  });

  test("of another org is nobody here: an org's provider occupies no address elsewhere", async () => {
    const stranger = await hire(platform, root);
    const { signIn } = await connected({ jit: true });
    expect((await signIn({ email: stranger.email })).status).toBe(303);
    const rows = await platform.db.query("t_both", "select org_id from users where email = $1", [stranger.email]);
    expect(rows).toHaveLength(2);
  });
});

describe("asserted groups", () => {
  const groupsOf = (principalId: string) =>
    platform.db.query<{ group_id: string }>("t_groups", "select group_id from group_members where principal_id = $1", [
      principalId,
    ]);

  async function mapped(sync_mode: "SAML_SYNC_MODE_IMPORT" | "SAML_SYNC_MODE_FORCE") {
    const group = present((await admin.ask(identity.createGroup, { name: "Team" })).group);
    const other = present((await admin.ask(identity.createGroup, { name: "Other" })).group);
    const group_mapping = [
      { value: "writers", role: "ROLE_EDITOR" as const },
      { value: "owners", role: "ROLE_ADMIN" as const },
      { value: "team", group_id: group.id },
    ];
    return { ...(await connected({ jit: true, sync_mode, group_mapping })), group, other };
  }

  test("give the greatest of their roles, and membership in the groups of the mapping alone", async () => {
    const { signIn, group } = await mapped("SAML_SYNC_MODE_IMPORT");
    await signIn({ email: email("both"), attributes: attribute("groups", "writers", "team", "owners", "unheard") });
    const user = present(await memberOf(admin.orgId, email("both")));
    expect([user.role, await groupsOf(user.id)]).toEqual(["admin", [{ group_id: group.id }]]);
  });

  test("count once with import", async () => {
    const { signIn } = await mapped("SAML_SYNC_MODE_IMPORT");
    await signIn({ nameId: "once", email: email("once"), attributes: attribute("groups", "writers") });
    await signIn({ nameId: "once", email: email("once"), attributes: attribute("groups", "owners") });
    expect((await memberOf(admin.orgId, email("once")))?.role).toBe("editor");
  });

  test("with force, drop what they say no more, and leave alone what they never said", async () => {
    const { signIn, other, group } = await mapped("SAML_SYNC_MODE_FORCE");
    const all = attribute("groups", "owners", "team") + attribute("displayName", "Before");
    await signIn({ nameId: "forced", email: email("forced"), attributes: all });
    const user = present(await memberOf(admin.orgId, email("forced")));
    await admin.ask(identity.createGroupMember, { group_id: other.id, principal_id: user.id });
    expect((await groupsOf(user.id)).map(({ group_id }) => group_id).sort()).toEqual([group.id, other.id].sort());
    await signIn({ nameId: "forced", email: email("forced"), attributes: attribute("displayName", "After") });
    expect(await memberOf(admin.orgId, email("forced"))).toMatchObject({ role: "member", name: "After" });
    expect(await groupsOf(user.id)).toEqual([{ group_id: other.id }]);
  });

  test("with force, leave the org its last admin", async () => {
    const founder = await openOrg(platform);
    const others = "update users set status = 'disabled' where org_id = $1 and id <> $2";
    const { signIn } = await connected(
      { jit: true, sync_mode: "SAML_SYNC_MODE_FORCE", group_mapping: [{ value: "owners", role: "ROLE_ADMIN" }] },
      founder,
    );
    await signIn({ nameId: "last", email: email("last"), attributes: attribute("groups", "owners") });
    const last = present(await memberOf(founder.orgId, email("last")));
    await platform.db.query("t_others", others, [founder.orgId, last.id]);
    await platform.db.query("t_leave", "delete from memberships where org_id = $1 and user_id <> $2", [
      founder.orgId,
      last.id,
    ]);
    expect((await signIn({ nameId: "last", email: email("last") })).status).toBe(303);
    expect((await memberOf(founder.orgId, email("last")))?.role).toBe("admin");
  });
});

test("names that do not stay are never taken", async () => {
  const { connection, signIn } = await connected({ jit: true });
  const transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
  expect(await reasonOf(signIn({ nameId: "_t", email: email("t"), format: transient }), connection.id)).toBe(
    "403 name_id_format",
  );
});
