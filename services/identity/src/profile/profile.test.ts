import { ProfileServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/profile_service.js";
import { IdentityServiceService as identity } from "@assistant/proto/assistant/identity/v1/service.js";
import { SettingsServiceService as settings } from "@assistant/proto/assistant/identity/v1/settings_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { installProgram, tokenOf } from "../testing/clients.js";
import { claimsOf, hire, openOrg, type Person, personOf, present, refusal, rootOf, signIn } from "../testing/people.js";
import { type Bearer, openPlatform, type Platform } from "../testing/platform.js";
import { openSession, refreshed } from "../testing/sessions.js";

let platform: Platform;
let root: Person;
let admin: Person;
let member: Person;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  admin = await openOrg(platform);
  member = await hire(platform, admin);
  for (const model_id of ["small-1", "large-1"]) await root.ask(settings.putModel, { model_id, name: model_id });
});

afterAll(() => platform.close());

const profileOf = async (bearer: Bearer) => present((await bearer.ask(rpcs.getProfile, {})).profile);

describe("a profile", () => {
  test("of somebody who chose nothing shows the defaults, and every field", async () => {
    const person = await hire(platform, admin);
    const made = expect.any(Date);
    expect(await profileOf(person)).toEqual({
      id: person.id,
      preferred_language: "LOCALE_EN",
      preferred_model: undefined,
      active_org_id: admin.orgId,
      favorite_use_cases: [],
      login_history: [{ timestamp: made, method: "bootstrap", ip_address: undefined, user_agent: undefined }],
      created_at: made,
      updated_at: made,
      oauth_tokens: {},
      email: person.email,
    });
  });

  test("follows the org's language until one is chosen", async () => {
    const person = await hire(platform, admin);
    await admin.ask(identity.updateOrg, { org_id: admin.orgId, default_language: "LOCALE_SV" });
    expect((await profileOf(person)).preferred_language).toBe("LOCALE_SV");
    const { answer } = await person.exchange(rpcs.updateProfile, { preferred_language: "LOCALE_PT" });
    expect(answer.profile?.preferred_language).toBe("LOCALE_PT");
    await admin.ask(identity.updateOrg, { org_id: admin.orgId, default_language: "LOCALE_EN" });
    expect((await profileOf(person)).preferred_language).toBe("LOCALE_PT");
  });

  test("is for its owner: 401 for nobody", async () => {
    const nobody = platform.bearer("");
    const asked = [
      nobody.ask(rpcs.getProfile, {}),
      nobody.ask(rpcs.updateProfile, {}),
      nobody.ask(rpcs.updatePreferredModel, { model: "small-1" }),
      nobody.ask(rpcs.listLogins, {}),
    ];
    for (const call of asked) expect(await refusal(call)).toMatchObject({ kind: "unauthenticated" });
  });

  test("of a service account has no e-mail address, and goes with the account", async () => {
    const program = await installProgram(admin);
    const bearer = platform.bearer((await tokenOf(platform, program)).access_token);
    expect(await profileOf(bearer)).toMatchObject({ id: program.id, email: undefined, active_org_id: admin.orgId });
    const { profile } = await bearer.ask(rpcs.updateProfile, { preferred_language: "LOCALE_FR" });
    expect(profile?.preferred_language).toBe("LOCALE_FR");
    await admin.ask(identity.deleteServiceAccount, { service_account_id: program.id });
    expect(await platform.db.query("test_left", "select from profiles where principal_id = $1", [program.id])).toEqual(
      [],
    );
  });

  test("changes only from the version that If-Match names; its version moves with all that it shows", async () => {
    const person = await hire(platform, admin);
    const first = await person.exchange(rpcs.getProfile, {});
    expect(Number.isSafeInteger(first.reply.version)).toBe(true);
    const ifMatch = [String(first.reply.version)];
    const change = { preferred_language: "LOCALE_NL" } as const;
    const second = await person.exchange(rpcs.updateProfile, change, { ifMatch });
    expect(second.reply.version).not.toBe(first.reply.version);
    expect(await refusal(person.ask(rpcs.updateProfile, change, { ifMatch }))).toMatchObject({ kind: "stale" });
    const choice = { model: "small-1" };
    expect(await refusal(person.ask(rpcs.updatePreferredModel, choice, { ifMatch }))).toMatchObject({ kind: "stale" });
    expect((await person.exchange(rpcs.getProfile, {})).reply.version).toBe(second.reply.version);
    await signIn(platform, person.email);
    expect((await person.exchange(rpcs.getProfile, {})).reply.version).not.toBe(second.reply.version);
  });

  test("of which several change at once takes each change once", async () => {
    const person = await hire(platform, admin);
    const version = String((await person.exchange(rpcs.getProfile, {})).reply.version);
    const languages = ["LOCALE_DE", "LOCALE_ES", "LOCALE_FR", "LOCALE_IT", "LOCALE_PL"] as const;
    const rush = await Promise.allSettled(
      languages.map((preferred_language) =>
        person.ask(rpcs.updateProfile, { preferred_language }, { ifMatch: [version] }),
      ),
    );
    expect(rush.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("that is set to what it is already tells nobody", async () => {
    const person = await hire(platform, admin);
    for (let time = 0; time < 3; time += 1) {
      await person.ask(rpcs.updateProfile, { preferred_language: "LOCALE_DE" });
      await person.ask(rpcs.updateProfile, {});
    }
    const text = "select data from outbox where subject = $1 and type = 'identity.user_profile.updated'";
    const events = await platform.db.query<{ data: object }>("test_profile_events", text, [person.id]);
    expect(events.map(({ data }) => data)).toEqual([
      { id: person.id, preferred_language: "de", preferred_model: null, active_org_id: null },
    ]);
  });
});

describe("the active org", () => {
  test("is one that the user is a member of; the next token acts in it", async () => {
    const person = await hire(platform, admin);
    const { refreshToken } = await openSession(platform, person);
    await root.ask(identity.createOrgMember, { org_id: root.orgId, user_id: person.id, role: "ROLE_MEMBER" });
    // Whoever becomes a member somewhere gets a new token.
    const again = await personOf(platform, person.email);
    const { profile } = await again.ask(rpcs.updateProfile, { active_org_id: root.orgId });
    expect(profile?.active_org_id).toBe(root.orgId);
    expect((await personOf(platform, person.email)).orgId).toBe(root.orgId);
    expect(claimsOf((await refreshed(platform, refreshToken)).access_token)).toMatchObject({ org: root.orgId });
  });

  test("stays chosen though it is the one asked in already", async () => {
    const person = await hire(platform, admin);
    await root.ask(identity.createOrgMember, { org_id: root.orgId, user_id: person.id, role: "ROLE_MEMBER" });
    await (await personOf(platform, person.email)).ask(rpcs.updateProfile, { active_org_id: root.orgId });
    const elsewhere = await personOf(platform, person.email);
    await elsewhere.ask(rpcs.updateProfile, { active_org_id: root.orgId });
    expect((await personOf(platform, person.email)).orgId).toBe(root.orgId);
    await elsewhere.ask(rpcs.updateProfile, { active_org_id: admin.orgId });
    expect((await personOf(platform, person.email)).orgId).toBe(admin.orgId);
  });

  test("that ends as the user's is as if it had never been chosen", async () => {
    const person = await hire(platform, admin);
    await root.ask(identity.createOrgMember, { org_id: root.orgId, user_id: person.id, role: "ROLE_MEMBER" });
    await (await personOf(platform, person.email)).ask(rpcs.updateProfile, { active_org_id: root.orgId });
    await root.ask(identity.deleteOrgMember, { org_id: root.orgId, user_id: person.id });
    const later = await personOf(platform, person.email);
    expect(later.orgId).toBe(admin.orgId);
    expect((await profileOf(later)).active_org_id).toBe(admin.orgId);
  });

  test("of others is as unknown as none: 422", async () => {
    for (const active_org_id of [root.orgId, "org_nowhere"]) {
      const wrong = await refusal(member.ask(rpcs.updateProfile, { active_org_id }));
      expect(wrong).toEqual({ kind: "invalid", at: ["active_org_id: value_error"] });
    }
    const bearer = platform.bearer((await tokenOf(platform, await installProgram(admin))).access_token);
    expect(await refusal(bearer.ask(rpcs.updateProfile, { active_org_id: root.orgId }))).toMatchObject({
      kind: "invalid",
    });
    await bearer.ask(rpcs.updateProfile, { active_org_id: admin.orgId });
    expect((await refusal(member.ask(rpcs.updateProfile, { active_org_id: "" }))).at).toEqual([
      "active_org_id: string_too_short",
    ]);
    expect((await refusal(member.ask(rpcs.updateProfile, { active_org_id: "o".repeat(65) }))).at).toEqual([
      "active_org_id: string_too_long",
    ]);
  });
});

describe("the preferred model", () => {
  test("is one that the org enables; another is told which there are", async () => {
    const { profile } = await member.ask(rpcs.updatePreferredModel, { model: "small-1" });
    expect(profile).toMatchObject({ id: member.id, preferred_model: "small-1" });
    const wrong = member.ask(rpcs.updatePreferredModel, { model: "huge-1" });
    await expect(wrong).rejects.toMatchObject({
      kind: "invalid",
      violations: [
        {
          path: ["model"],
          type: "enum",
          message: "Input should be 'large-1' or 'small-1'",
          context: { expected: "'large-1' or 'small-1'" },
        },
      ],
    });
    expect((await profileOf(member)).preferred_model).toBe("small-1");
  });

  test("that the org disables is none until it is enabled again", async () => {
    await member.ask(rpcs.updatePreferredModel, { model: "small-1" });
    await admin.ask(settings.enableModel, { model_id: "small-1", enabled: false });
    expect((await profileOf(member)).preferred_model).toBeUndefined();
    expect((await refusal(member.ask(rpcs.updatePreferredModel, { model: "small-1" }))).at).toEqual(["model: enum"]);
    await admin.ask(settings.enableModel, { model_id: "large-1", enabled: false });
    expect((await refusal(member.ask(rpcs.updatePreferredModel, { model: "small-1" }))).at).toEqual([
      "model: value_error",
    ]);
    for (const model_id of ["small-1", "large-1"]) await admin.ask(settings.enableModel, { model_id, enabled: true });
    expect((await profileOf(member)).preferred_model).toBe("small-1");
  });

  test("has an id of 1 to 200 characters", async () => {
    expect((await refusal(member.ask(rpcs.updatePreferredModel, {}))).at).toEqual(["model: missing"]);
    expect((await refusal(member.ask(rpcs.updatePreferredModel, { model: "" }))).at).toEqual([
      "model: string_too_short",
    ]);
    expect((await refusal(member.ask(rpcs.updatePreferredModel, { model: "m".repeat(201) }))).at).toEqual([
      "model: string_too_long",
    ]);
    expect((await refusal(member.ask(rpcs.updatePreferredModel, { model: "m".repeat(200) }))).at).toEqual([
      "model: enum",
    ]);
  });

  test("is refused with an answer that fits, however many models there are", async () => {
    for (let count = 0; count < 50; count += 1) {
      await root.ask(settings.putModel, { model_id: `${count}${"'ü".repeat(90)}`, name: "Long" });
    }
    expect((await refusal(member.ask(rpcs.updatePreferredModel, { model: "huge-1" }))).at).toEqual(["model: enum"]);
    for (let count = 0; count < 50; count += 1) {
      await root.ask(settings.deleteModel, { model_id: `${count}${"'ü".repeat(90)}` });
    }
  });
});

test("connected accounts are shown by their credentials, of the org alone, and no token", async () => {
  const text = `insert into oauth_token_status values
    ('ocred_1', $1, $2, 'drive', '{read,write}', '2030-01-01', 'active', 1),
    ('ocred_2', $3, $2, 'drive', '{}', null, 'active', 1)`;
  await platform.db.query("test_oauth", text, [admin.orgId, member.id, root.orgId]);
  expect((await profileOf(member)).oauth_tokens).toEqual({
    ocred_1: { provider: "drive", scopes: ["read", "write"], expires_at: new Date("2030-01-01"), status: "active" },
  });
});
