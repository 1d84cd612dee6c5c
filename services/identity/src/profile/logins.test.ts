import { ProfileServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/profile_service.js";
import { IdentityServiceService as identity } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { installProgram } from "../testing/clients.js";
import { hire, openOrg, type Person, present, refusal, rootOf } from "../testing/people.js";
import { type Bearer, openPlatform, type Platform } from "../testing/platform.js";
import { BROWSER, openSession } from "../testing/sessions.js";

let platform: Platform;
let root: Person;
let admin: Person;
let member: Person;

beforeAll(async () => {
  platform = await openPlatform();
  root = await rootOf(platform);
  admin = await openOrg(platform);
  member = await hire(platform, admin);
});

afterAll(() => platform.close());

const profileOf = async (bearer: Bearer) => present((await bearer.ask(rpcs.getProfile, {})).profile);

/** A guest of a use case, with a session of its own of the account that all guests share. */
async function guestOf(account: { id: string; orgId: string }, useCaseId: string, address: string): Promise<Bearer> {
  const client = { ...BROWSER, address };
  const { accessToken } = await openSession(platform, account, { useCaseId, method: "qr_link", client });
  return platform.bearer(accessToken);
}

describe("the login history", () => {
  test("shows the newest 50, with address and agent, those of the org alone", async () => {
    const person = await hire(platform, admin);
    for (let count = 0; count < 50; count += 1) {
      await openSession(platform, person, { client: { address: `192.0.2.${count}`, userAgent: "Browser/1" } });
    }
    const { login_history } = await profileOf(person);
    expect(login_history).toHaveLength(50);
    expect(login_history[0]).toMatchObject({ method: "saml", ip_address: "192.0.2.49", user_agent: "Browser/1" });
    expect(login_history.at(-1)).toMatchObject({ ip_address: "192.0.2.0" });
    await root.ask(identity.createOrgMember, { org_id: root.orgId, user_id: person.id, role: "ROLE_MEMBER" });
    const elsewhere = await openSession(platform, { id: person.id, orgId: root.orgId });
    expect((await profileOf(platform.bearer(elsewhere.accessToken))).login_history).toHaveLength(1);
  });

  test("is read page by page, newest first, each login once", async () => {
    const person = await hire(platform, admin);
    for (let count = 0; count < 4; count += 1) await openSession(platform, person);
    const all = (await person.ask(rpcs.listLogins, { page_size: 200 })).items;
    expect(all.map(({ method }) => method)).toEqual(["saml", "saml", "saml", "saml", "bootstrap"]);
    const first = await person.ask(rpcs.listLogins, { page_size: 3 });
    const second = await person.ask(rpcs.listLogins, { page_size: 3, page_token: first.next_page_token });
    expect([...first.items, ...second.items]).toEqual(all);
    expect(second.next_page_token).toBeUndefined();
    for (const page_size of [0, 201]) {
      expect(await refusal(person.ask(rpcs.listLogins, { page_size }))).toMatchObject({ kind: "invalid" });
    }
    const stolen = member.ask(rpcs.listLogins, { page_token: present(first.next_page_token) });
    expect((await refusal(stolen)).at).toEqual(["page_token: page_token_invalid"]);
  });
});

describe("a guest", () => {
  test("reads the shared profile, but of the logins the own alone", async () => {
    const account = await installProgram(admin);
    const useCaseId = platform.catalog.addUseCase(admin.orgId);
    const one = await guestOf(account, useCaseId, "192.0.2.1");
    await guestOf(account, useCaseId, "192.0.2.2");
    const { id, email, login_history } = await profileOf(one);
    expect({ id, email }).toEqual({ id: account.id, email: undefined });
    expect(login_history).toMatchObject([{ method: "qr_link", ip_address: "192.0.2.1" }]);
  });

  test("changes nothing: 403", async () => {
    const useCaseId = platform.catalog.addUseCase(admin.orgId);
    const guest = await guestOf(await installProgram(admin), useCaseId, "192.0.2.1");
    const asked = [
      guest.ask(rpcs.updateProfile, { preferred_language: "LOCALE_DE" }),
      guest.ask(rpcs.updatePreferredModel, { model: "small-1" }),
      guest.ask(rpcs.putFavorite, { use_case_id: useCaseId }),
      guest.ask(rpcs.deleteFavorite, { use_case_id: useCaseId }),
      guest.ask(rpcs.listLogins, {}),
    ];
    for (const call of asked) expect(await refusal(call)).toMatchObject({ kind: "denied" });
  });
});
