import { LinksServiceService } from "@assistant/proto/assistant/identity/v1/links_service.js";
import { IdentityServiceService } from "@assistant/proto/assistant/identity/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consume, newQrLink } from "../testing/links.js";
import { claimsOf, type Person, present, refusal, rootOf } from "../testing/people.js";
import { openPlatform, type Platform } from "../testing/platform.js";

let platform: Platform;
let admin: Person;

beforeAll(async () => {
  platform = await openPlatform();
  admin = await rootOf(platform);
});

afterAll(() => platform.close());

/** The account of the guests of a new use case. */
async function guestAccountOf(): Promise<string> {
  const { token } = await newQrLink(platform, admin);
  return String(claimsOf((await consume(platform, token)).access_token)["sub"]);
}

const STATE = { kind: "conflict", at: [": conflict"] };

describe("the account that guests act as", () => {
  test("gets no key and no link of its own, which would sign in beyond the one use case: 409", async () => {
    const service_account_id = await guestAccountOf();
    const { createServiceAccountKey } = IdentityServiceService;
    const key = admin.ask(createServiceAccountKey, { service_account_id, scopes: [] });
    expect(await refusal(key)).toEqual(STATE);
    const link = admin.ask(LinksServiceService.createMagicLink, { service_account_id });
    expect(await refusal(link)).toEqual(STATE);
  });

  test("gets into no group, as member or manager, lest all guests do: 409", async () => {
    const principal_id = await guestAccountOf();
    const { group } = await admin.ask(IdentityServiceService.createGroup, { name: "Staff" });
    for (const manager of [false, true]) {
      const request = { group_id: present(group).id, principal_id, manager };
      expect(await refusal(admin.ask(IdentityServiceService.createGroupMember, request))).toEqual({
        kind: "conflict",
        at: ["principal_id: conflict"],
      });
    }
  });

  test("stays a member, and may be renamed and disabled", async () => {
    const service_account_id = await guestAccountOf();
    const change = (changed: object) =>
      admin.ask(IdentityServiceService.updateServiceAccount, { service_account_id, ...changed });
    for (const role of ["ROLE_ADMIN", "ROLE_EDITOR"]) {
      expect(await refusal(change({ role }))).toEqual({ kind: "conflict", at: ["role: conflict"] });
    }
    const wished = { role: "ROLE_MEMBER", name: "Visitors", status: "STATUS_DISABLED" };
    expect((await change(wished)).service_account).toMatchObject(wished);
  });
});
