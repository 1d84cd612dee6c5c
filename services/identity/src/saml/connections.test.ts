import { X509Certificate } from "node:crypto";
import type { CreateSamlConnectionRequest } from "@assistant/proto/assistant/identity/v1/saml_connections.js";
import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { IdentityServiceService as identity } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { hire, openOrg, type Person, personOf, present, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";
import { openProvider, type Provider } from "../testing/saml/provider.js";
import { connect, connectionRequest, providerMetadata } from "../testing/saml/site.js";

let platform: Platform;
let admin: Person;
let member: Person;
let stranger: Person;
let base: Provider;
let entities = 0;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await openOrg(platform);
  member = await hire(platform, admin, "editor");
  stranger = await openOrg(platform);
  base = await openProvider();
}, 60_000);

afterAll(async () => platform?.close());

function fresh(): Provider {
  entities += 1;
  return { ...base, entityId: `https://idp-${entities}.example/metadata` };
}

const create = (given: Partial<CreateSamlConnectionRequest> = {}, by = admin) =>
  refusal(by.ask(rpcs.createSamlConnection, connectionRequest(fresh(), given)));

/** What an admin would send to keep a connection as it is. */
async function settingsOf(connection_id: string, by = admin) {
  const { saml_connection } = await by.ask(rpcs.getSamlConnection, { connection_id });
  const { id, ...settings } = present(saml_connection);
  return { connection_id: id, ...settings };
}

describe("who may", () => {
  const unknown = { connection_id: "saml_00000000000000000000000000" };

  test("nobody without a token does anything, and whoever has none reads our metadata", async () => {
    const nobody = platform.bearer("");
    expect((await refusal(nobody.ask(rpcs.listSamlConnections, {}))).kind).toBe("unauthenticated");
    expect((await refusal(nobody.ask(rpcs.rotateSamlKeys, {}))).kind).toBe("unauthenticated");
  });

  test("an editor learns nothing of connections, and changes none", async () => {
    const connection = await connect(admin, fresh());
    const id = { connection_id: connection.id };
    expect((await create({}, member)).kind).toBe("denied");
    for (const call of [
      member.ask(rpcs.listSamlConnections, {}),
      member.ask(rpcs.getSamlConnection, id),
      member.ask(rpcs.deleteSamlConnection, id),
      member.ask(rpcs.testSamlConnection, id),
      member.ask(rpcs.importSamlMetadata, { ...id, metadata_xml: "<x/>" }),
      settingsOf(connection.id).then((settings) => member.ask(rpcs.updateSamlConnection, settings)),
    ]) {
      expect((await refusal(call)).kind).toBe("denied");
    }
  });

  test("an admin of another org does not know of a connection", async () => {
    const connection = await connect(admin, fresh());
    const settings = await settingsOf(connection.id);
    for (const id of [connection.id, unknown.connection_id]) {
      for (const call of [
        stranger.ask(rpcs.getSamlConnection, { connection_id: id }),
        stranger.ask(rpcs.deleteSamlConnection, { connection_id: id }),
        stranger.ask(rpcs.testSamlConnection, { connection_id: id }),
        stranger.ask(rpcs.importSamlMetadata, { connection_id: id, metadata_xml: providerMetadata(base) }),
        stranger.ask(rpcs.updateSamlConnection, { ...settings, connection_id: id }),
      ]) {
        expect((await refusal(call)).kind).toBe("missing");
      }
    }
    const { items } = await stranger.ask(rpcs.listSamlConnections, {});
    expect(items.map(({ id }) => id)).not.toContain(connection.id);
  });
});

describe("a new connection", () => {
  test("has the settings that were given, and safe ones for the rest", async () => {
    const provider = fresh();
    const connection = await connect(admin, provider, { slug: "usual", nameid_format: undefined });
    expect(connection).toEqual({
      id: expect.stringMatching(/^saml_/),
      slug: "usual",
      name: "usual",
      entity_id: provider.entityId,
      sso_url: "https://idp.example/sso",
      sso_binding: "SAML_BINDING_REDIRECT",
      slo_binding: "SAML_BINDING_REDIRECT",
      certificates: [provider.key.certificate],
      want_response_signed: false,
      allow_cbc: false,
      allow_idp_initiated: false,
      clock_skew_ms: 60_000,
      nameid_format: "SAML_NAME_ID_FORMAT_PERSISTENT",
      attribute_mapping: {},
      group_mapping: [],
      sync_mode: "SAML_SYNC_MODE_IMPORT",
      jit: false,
      link_by_email: false,
      default_role: "ROLE_MEMBER",
      enabled: true,
    });
  });

  test("is described by its provider's metadata, or field by field, and not both", async () => {
    const provider = fresh();
    const made = await connect(admin, provider, { metadata_xml: providerMetadata(provider) });
    expect([made.entity_id, made.sso_url]).toEqual([provider.entityId, "https://idp.example/sso"]);
    expect(await create({ metadata_xml: providerMetadata(base), entity_id: "x" })).toMatchObject({
      at: [": value_error"],
    });
    const nothing = { slug: "nothing", certificates: [], group_mapping: [] };
    expect((await refusal(admin.ask(rpcs.createSamlConnection, nothing))).at).toEqual([
      "entity_id: missing",
      "sso_url: missing",
      "certificates: missing",
    ]);
    expect(await create({ metadata_xml: "<html/>" })).toMatchObject({
      kind: "invalid",
      at: ["metadata_xml: value_error"],
    });
  });

  test.each<[string, Partial<CreateSamlConnectionRequest>, string]>([
    ["a slug in capitals", { slug: "Example" }, "slug: string_pattern_mismatch"],
    ["a slug that is too long", { slug: "a".repeat(64) }, "slug: string_pattern_mismatch"],
    ["clocks too far apart", { clock_skew_ms: 300_001 }, "clock_skew_ms: less_than_equal"],
    ["clocks apart backwards", { clock_skew_ms: -1 }, "clock_skew_ms: greater_than_equal"],
    ["an address in the clear", { sso_url: "http://idp.example/sso" }, "sso_url: value_error"],
    ["a sign-out in the clear", { slo_url: "http://idp.example/slo" }, "slo_url: value_error"],
    ["an address with a password", { sso_url: "https://a:b@idp.example/sso" }, "sso_url: value_error"],
    ["no address", { sso_url: "javascript:alert(1)" }, "sso_url: url_scheme"],
    ["no certificate", { certificates: ["no certificate"] }, "certificates.0: value_error"],
    ["AES-CBC without signed responses", { allow_cbc: true }, "allow_cbc: value_error"],
    ["a rule without meaning", { group_mapping: [{ value: "x" }] }, "group_mapping.0: value_error"],
    [
      "a rule with two",
      { group_mapping: [{ value: "x", role: "ROLE_ADMIN", group_id: "grp_x" }] },
      "group_mapping.0: value_error",
    ],
    [
      "a group of nowhere",
      { group_mapping: [{ value: "x", group_id: "grp_x" }] },
      "group_mapping.0.group_id: value_error",
    ],
  ])("with %s is refused", async (_, given, at) => {
    expect(await create(given)).toEqual({ kind: "invalid", at: [at] });
  });

  test("takes five certificates, and no sixth", async () => {
    const certificates = (count: number) => ({
      certificates: Array.from({ length: count }, () => base.key.certificate),
    });
    await expect(connect(admin, fresh(), certificates(5))).resolves.toBeDefined();
    expect((await create(certificates(6))).at).toEqual(["certificates: too_long"]);
  });

  test("is one of a kind: slug on the platform, provider in the org, and what nobody asked for at a provider", async () => {
    const provider = fresh();
    const root = await rootOf(platform);
    for (const [place, { orgId: org_id }] of [admin, stranger].entries()) {
      expect((await create({ allow_idp_initiated: true }, place === 0 ? admin : stranger)).at).toEqual([
        "allow_idp_initiated: value_error",
      ]);
      await root.ask(rpcs.putOrgDomain, { org_id, domain: `unasked-${place}.example` });
    }
    const first = await connect(admin, provider, { allow_idp_initiated: true });
    const second = (given: Partial<CreateSamlConnectionRequest>, by: Person) =>
      refusal(by.ask(rpcs.createSamlConnection, connectionRequest(provider, given)));
    expect(await second({ slug: first.slug }, stranger)).toEqual({ kind: "conflict", at: ["slug: conflict"] });
    expect(await second({}, admin)).toEqual({ kind: "conflict", at: ["entity_id: conflict"] });
    expect(await second({ allow_idp_initiated: true }, stranger)).toEqual({
      kind: "conflict",
      at: ["allow_idp_initiated: conflict"],
    });
    await expect(connect(stranger, provider)).resolves.toBeDefined();
  });

  test("of the same slug is made once, however many ask at once", async () => {
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => connect(admin, fresh(), { slug: "race" })));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("a change", () => {
  test("replaces all settings, and needs the version it was made for, if one is named", async () => {
    const connection = await connect(admin, fresh(), { jit: true, name: "Before" });
    const settings = { ...(await settingsOf(connection.id)), jit: undefined, name: undefined };
    const { answer, reply } = await admin.exchange(rpcs.updateSamlConnection, settings, { ifMatch: ["1"] });
    expect([answer.saml_connection?.jit, answer.saml_connection?.name, reply.version]).toEqual([
      false,
      connection.slug,
      2,
    ]);
    const stale = admin.ask(rpcs.updateSamlConnection, settings, { ifMatch: ["1"] });
    expect((await refusal(stale)).kind).toBe("stale");
    expect((await refusal(admin.ask(rpcs.deleteSamlConnection, settings, { ifMatch: ["1"] }))).kind).toBe("stale");
  });

  test("to another provider forgets the names that the former one gave", async () => {
    const connection = await connect(admin, fresh());
    const user = await hire(platform, admin);
    await platform.db.query("t_name", "insert into saml_identities values ($1, 'x', $2, $3)", [
      connection.id,
      admin.orgId,
      user.id,
    ]);
    const settings = await settingsOf(connection.id);
    const count = () =>
      platform.db.query("t_count", "select from saml_identities where connection_id = $1", [connection.id]);
    await admin.ask(rpcs.updateSamlConnection, { ...settings, name: "Same" });
    expect(await count()).toHaveLength(1);
    await admin.ask(rpcs.updateSamlConnection, { ...settings, entity_id: fresh().entityId });
    expect(await count()).toHaveLength(0);
  });

  test("by metadata takes what metadata says, and leaves the rest", async () => {
    const provider = fresh();
    const connection = await connect(admin, provider, { jit: true });
    const metadata_xml = providerMetadata(provider, "https://elsewhere.example/sso");
    const request = { connection_id: connection.id, metadata_xml };
    const { saml_connection } = await admin.ask(rpcs.importSamlMetadata, request);
    expect(saml_connection).toMatchObject({
      jit: true,
      sso_url: "https://elsewhere.example/sso",
      slug: connection.slug,
    });
    const both = { ...request, metadata_url: "https://idp.example/metadata" };
    expect((await refusal(admin.ask(rpcs.importSamlMetadata, both))).kind).toBe("invalid");
  });

  test("a deleted connection is gone, with all that began with it", async () => {
    const connection = await connect(admin, fresh());
    await admin.ask(rpcs.deleteSamlConnection, { connection_id: connection.id });
    expect((await refusal(settingsOf(connection.id))).kind).toBe("missing");
    expect((await refusal(admin.ask(rpcs.deleteSamlConnection, { connection_id: connection.id }))).kind).toBe(
      "missing",
    );
  });
});

test("a list is paged, newest first", async () => {
  const org = await openOrg(platform);
  const made = [await connect(org, fresh()), await connect(org, fresh()), await connect(org, fresh())];
  const first = await org.ask(rpcs.listSamlConnections, { page_size: 2 });
  expect(first.items.map(({ id }) => id)).toEqual([made[2]?.id, made[1]?.id]);
  const rest = await org.ask(rpcs.listSamlConnections, { page_size: 2, page_token: first.next_page_token });
  expect([rest.items.map(({ id }) => id), rest.next_page_token]).toEqual([[made[0]?.id], undefined]);
});

test("groups of another org are none for a mapping", async () => {
  const group = present((await stranger.ask(identity.createGroup, { name: "Theirs" })).group);
  expect((await create({ group_mapping: [{ value: "x", group_id: group.id }] })).kind).toBe("invalid");
});

test("a test says what does not work, and warns of certificates 30 days before they expire", async () => {
  const founder = await openOrg(platform);
  const { id: connection_id } = await connect(founder, fresh(), { enabled: false, link_by_email: true });
  const checked = async (by: Person) => {
    const { ok, checks } = await by.ask(rpcs.testSamlConnection, { connection_id });
    return { ok, checks: checks.map(({ name, status }) => `${name} ${status}`) };
  };
  const others = ["sso_url SAML_CHECK_STATUS_WARNING", "domains SAML_CHECK_STATUS_WARNING"];
  const disabled = "enabled SAML_CHECK_STATUS_FAILED";
  const found = await checked(founder);
  expect(found).toEqual({ ok: false, checks: [disabled, "certificate SAML_CHECK_STATUS_OK", ...others] });

  const expiresAtMs = Date.parse(new X509Certificate(base.key.certificate).validTo);
  platform.wait(expiresAtMs - Date.now() - 29 * 86_400_000);
  const later = await checked(await personOf(platform, founder.email));
  expect(later).toEqual({ ok: false, checks: [disabled, "certificate SAML_CHECK_STATUS_WARNING", ...others] });
});
