import { SamlServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/saml_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { hire, openOrg, type Person, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";

let platform: Platform;
let root: Person;
let admin: Person;
let member: Person;
let stranger: Person;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  admin = await openOrg(platform);
  member = await hire(platform, admin, "editor");
  stranger = await openOrg(platform);
}, 60_000);

afterAll(async () => platform?.close());

describe("domains of an org", () => {
  const put = (by: Person, org: Person, domain: string) =>
    refusal(by.ask(rpcs.putOrgDomain, { org_id: org.orgId, domain }));

  test("are set by platform admins alone, and seen by the org's admins", async () => {
    await root.ask(rpcs.putOrgDomain, { org_id: admin.orgId, domain: "ours.example" });
    await root.ask(rpcs.putOrgDomain, { org_id: admin.orgId, domain: "ours.example" });
    const { items } = await admin.ask(rpcs.listOrgDomains, { org_id: admin.orgId });
    expect(items).toEqual([{ domain: "ours.example", verified_at: expect.any(Date) }]);
    expect((await put(admin, admin, "theirs.example")).kind).toBe("denied");
    expect((await refusal(member.ask(rpcs.listOrgDomains, { org_id: admin.orgId }))).kind).toBe("denied");
    expect((await refusal(stranger.ask(rpcs.listOrgDomains, { org_id: admin.orgId }))).kind).toBe("missing");
    const remove = { org_id: admin.orgId, domain: "ours.example" };
    expect((await refusal(admin.ask(rpcs.deleteOrgDomain, remove))).kind).toBe("denied");
  });

  test("belong to one org", async () => {
    await root.ask(rpcs.putOrgDomain, { org_id: admin.orgId, domain: "one.example" });
    expect(await put(root, stranger, "one.example")).toEqual({ kind: "conflict", at: [": conflict"] });
    await root.ask(rpcs.deleteOrgDomain, { org_id: admin.orgId, domain: "one.example" });
    const again = { org_id: admin.orgId, domain: "one.example" };
    expect((await refusal(root.ask(rpcs.deleteOrgDomain, again))).kind).toBe("missing");
    await root.ask(rpcs.putOrgDomain, { org_id: stranger.orgId, domain: "one.example" });
  });

  test.each([
    "Example.com",
    "example",
    "-a.example",
    "a..example",
    "a.example.",
    "*.example",
    "a.example/x",
    "ü.example",
  ])("%s is no domain", async (domain) => {
    expect((await put(root, admin, domain)).at).toEqual(["domain: string_pattern_mismatch"]);
  });
});
