import { watchRevocations } from "@assistant/kit/caller/revocations.js";
import { createVerifier, type Verifier } from "@assistant/kit/caller/verifier.js";
import { openNotices } from "@assistant/kit/events/open-notices.js";
import { faultOf } from "@assistant/kit/testing/faults.js";
import { createTestNats, natsMissing } from "@assistant/kit/testing/nats.js";
import { until } from "@assistant/kit/testing/until.js";
import { quiet } from "@assistant/kit/testing.js";
import { dial } from "@assistant/kit/wire/dial.js";
import { IdentityServiceService as rpcs } from "@assistant/proto/assistant/identity/v1/service.js";
import { SessionsServiceService } from "@assistant/proto/assistant/identity/v1/sessions_service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { raisingEpochs } from "./store/epochs.js";
import { installProgram, tokenOf } from "./testing/clients.js";
import { claimsOf, hire, type Person, personOf, present, rootOf } from "./testing/people.js";
import { ORIGIN, openPlatform, type Platform } from "./testing/platform.js";
import { openSession, refreshed } from "./testing/sessions.js";

const SOON_MS = 2_000;
const RAISING = `with ${raisingEpochs("select $1::text as principal_id")} done as (select 1) select from done`;

/** Makes somebody with a token, and answers it with what is done then. */
type Case = (platform: Platform, admin: Person) => Promise<{ token: string; revoke: () => Promise<unknown> }>;

const cases: Record<string, Case> = {
  "whose role in the org was lowered": async (platform, admin) => {
    const { id, token } = await hire(platform, admin, "admin");
    const request = { org_id: admin.orgId, user_id: id, role: "ROLE_MEMBER" as const };
    return { token, revoke: () => admin.ask(rpcs.updateOrgMember, request) };
  },
  "who was disabled": async (platform, admin) => {
    const { id, token } = await hire(platform, admin);
    return { token, revoke: () => admin.ask(rpcs.updateUser, { user_id: id, status: "STATUS_DISABLED" }) };
  },
  "who was removed from the org": async (platform, admin) => {
    const { id, token } = await hire(platform, admin);
    return { token, revoke: () => admin.ask(rpcs.deleteOrgMember, { org_id: admin.orgId, user_id: id }) };
  },
  "who was removed from a group": async (platform, admin) => {
    const { group_id, person } = await grouped(platform, admin);
    const request = { group_id, principal_id: person.id };
    return { token: person.token, revoke: () => admin.ask(rpcs.deleteGroupMember, request) };
  },
  "whose group was deleted": async (platform, admin) => {
    const { group_id, person } = await grouped(platform, admin);
    return { token: person.token, revoke: () => admin.ask(rpcs.deleteGroup, { group_id }) };
  },
  "whose session an admin ended": async (platform, admin) => {
    const { token } = await hire(platform, admin);
    const request = { session_id: String(claimsOf(token).sid) };
    return { token, revoke: () => admin.ask(SessionsServiceService.deleteSession, request) };
  },
  "that is a service account of a lower role than before": (platform, admin) =>
    ofProgram(platform, admin, (id) =>
      admin.ask(rpcs.updateServiceAccount, { service_account_id: id, role: "ROLE_MEMBER" }),
    ),
  "that is a disabled service account": (platform, admin) =>
    ofProgram(platform, admin, (id) =>
      admin.ask(rpcs.updateServiceAccount, { service_account_id: id, status: "STATUS_DISABLED" }),
    ),
  "that is a deleted service account": (platform, admin) =>
    ofProgram(platform, admin, (id) => admin.ask(rpcs.deleteServiceAccount, { service_account_id: id })),
  "whose key was deleted": (platform, admin) =>
    ofProgram(platform, admin, (service_account_id, key_id) =>
      admin.ask(rpcs.deleteServiceAccountKey, { service_account_id, key_id }),
    ),
};

const channels = [
  {
    name: "over the built-in bus",
    reason: undefined,
    start: async () => ({ url: undefined, close: async () => undefined }),
  },
  { name: "over NATS", reason: natsMissing(), start: createTestNats },
];

for (const { name, reason, start } of channels) {
  const suite = reason === undefined ? describe : describe.skip;

  suite(reason === undefined ? name : `${name} (skipped: ${reason})`, () => {
    let platform: Platform;
    let admin: Person;
    let gateway: Watcher;
    let another: Watcher;
    let nats: { url: string | undefined; close(): Promise<void> };

    beforeAll(async () => {
      nats = await start();
      platform = await openPlatform(nats.url === undefined ? {} : { natsUrl: nats.url });
      admin = await rootOf(platform);
      [gateway, another] = await Promise.all([
        watch(platform, "gateway", nats.url),
        watch(platform, "contexts", nats.url),
      ]);
    });
    afterAll(async () => {
      await Promise.all([gateway.close(), another.close()]);
      await platform.close();
      await nats.close();
    });

    test.each(Object.entries(cases))(
      "within 2 s every process refuses the token of somebody %s, and identity itself too",
      async (_name, make) => {
        const { token, revoke } = await make(platform, admin);
        const outcomes = () =>
          Promise.all(
            [gateway.verifier, another.verifier, platform.verifier].map((verifier) => outcome(verifier, token)),
          );
        expect(await outcomes()).toEqual([undefined, undefined, undefined]);
        await revoke();
        const all = async () => (await outcomes()).every((kind) => kind === "unauthenticated");
        await until(all, SOON_MS);
        const own = () => faultOf(platform.bearer(token).ask(rpcs.listOrgs, {}));
        await until(async () => (await own()) === "unauthenticated", SOON_MS);
        expect(await outcome(gateway.verifier, admin.token)).toBeUndefined();
      },
    );

    test("the token that the same person gets afterwards holds at once, in the same second too", async () => {
      const before = await hire(platform, admin);
      const request = { org_id: admin.orgId, user_id: before.id, role: "ROLE_EDITOR" as const };
      await admin.ask(rpcs.updateOrgMember, request);
      const after = await personOf(platform, before.email);
      expect(await outcome(gateway.verifier, after.token)).toBeUndefined();
      await until(async () => (await outcome(gateway.verifier, before.token)) === "unauthenticated", SOON_MS);
      expect(await outcome(gateway.verifier, after.token)).toBeUndefined();
    });

    test("of two transactions the one that began first may commit last: neither is missed", async () => {
      const [early, late] = [await hire(platform, admin), await hire(platform, admin)];
      const { promise: mayCommit, resolve: commit } = withResolvers();
      const { promise: hasRaised, resolve: raised } = withResolvers();
      const slow = platform.db.transaction(ORIGIN, async (tx) => {
        await tx.query("test_slow", RAISING, [early.id]);
        raised();
        await mayCommit;
      });
      await hasRaised;
      await platform.db.transaction(ORIGIN, (tx) => tx.query("test_slow", RAISING, [late.id]));
      await until(async () => (await outcome(gateway.verifier, late.token)) === "unauthenticated", SOON_MS);
      expect(await outcome(gateway.verifier, early.token)).toBeUndefined();
      commit();
      await slow;
      await until(async () => (await outcome(gateway.verifier, early.token)) === "unauthenticated", SOON_MS);
    });

    test("nobody who stays as they are is logged out: a new name, a wrong If-Match, a refused change", async () => {
      const person = await hire(platform, admin);
      const before = await listed(platform, person.id);
      await admin.ask(rpcs.updateUser, { user_id: person.id, name: "Renamed" });
      const request = { org_id: admin.orgId, user_id: person.id, role: "ROLE_EDITOR" as const };
      await faultOf(admin.ask(rpcs.updateOrgMember, request, { ifMatch: ["0"] }));
      await faultOf(person.ask(rpcs.updateOrgMember, request));
      expect(await listed(platform, person.id)).toEqual(before);
      // Another's revocation comes through meanwhile, so this one would have too.
      const other = await hire(platform, admin);
      await admin.ask(rpcs.updateUser, { user_id: other.id, status: "STATUS_DISABLED" });
      await until(async () => (await outcome(gateway.verifier, other.token)) === "unauthenticated", SOON_MS);
      expect(await outcome(gateway.verifier, person.token)).toBeUndefined();
    });
  });
}

describe("who is let in again", () => {
  let platform: Platform;
  let admin: Person;

  beforeAll(async () => {
    platform = await openPlatform();
    admin = await rootOf(platform);
  });
  afterAll(() => platform.close());

  const refreshing = (token: string) => faultOf(refreshed(platform, token));

  test("after being disabled finds every earlier session ended, in other orgs too", async () => {
    const person = await hire(platform, admin);
    const { org } = await admin.ask(rpcs.createOrg, { name: "Another" });
    const orgId = present(org).id;
    await admin.ask(rpcs.createOrgMember, { org_id: orgId, user_id: person.id, role: "ROLE_MEMBER" });
    const opened = await Promise.all([person, { id: person.id, orgId }].map((who) => openSession(platform, who)));
    await admin.ask(rpcs.updateUser, { user_id: person.id, status: "STATUS_DISABLED" });
    await admin.ask(rpcs.updateUser, { user_id: person.id, status: "STATUS_ACTIVE" });
    for (const { refreshToken } of opened) expect(await refreshing(refreshToken)).toBe("refused");
    expect(await refreshing((await openSession(platform, person)).refreshToken)).toBeUndefined();
  });

  test("after leaving the org finds every earlier session there ended", async () => {
    const person = await hire(platform, admin);
    const { refreshToken } = await openSession(platform, person);
    await admin.ask(rpcs.deleteOrgMember, { org_id: admin.orgId, user_id: person.id });
    await admin.ask(rpcs.createOrgMember, { org_id: admin.orgId, user_id: person.id, role: "ROLE_MEMBER" });
    expect(await refreshing(refreshToken)).toBe("refused");
  });
});

interface Watcher {
  verifier: Verifier;
  close(): Promise<void>;
}

/** Verifies as a process of its own does: own connections, own memory. */
async function watch(platform: Platform, name: string, natsUrl: string | undefined): Promise<Watcher> {
  const identity = dial({ from: name, to: "identity", address: platform.address, log: quiet });
  const notices = openNotices({ name, natsUrl, postgresUrl: platform.databaseUrl, log: quiet });
  // So rarely that what is refused in these tests came by notice.
  const revocations = watchRevocations({ identity, notices, log: quiet, reloadMs: 600_000 });
  await until(() => revocations.isKnown());
  const { issuer, audience, clock } = platform;
  return {
    verifier: createVerifier({ identity, revocations, issuer, audience, clock }),
    async close() {
      await revocations.close();
      await notices.close();
      identity.close();
    },
  };
}

const outcome = (verifier: Verifier, token: string) => faultOf(verifier.verify(token, ORIGIN));

async function grouped(platform: Platform, admin: Person) {
  const group_id = present((await admin.ask(rpcs.createGroup, { name: "Crew" })).group).id;
  const { id, email } = await hire(platform, admin);
  await admin.ask(rpcs.createGroupMember, { group_id, principal_id: id });
  return { group_id, person: await personOf(platform, email) };
}

async function ofProgram(platform: Platform, admin: Person, change: (id: string, keyId: string) => Promise<unknown>) {
  const program = await installProgram(admin, "editor");
  const { access_token: token } = await tokenOf(platform, program);
  return { token, revoke: () => change(program.id, program.key.id) };
}

function listed({ db }: Platform, subject: string) {
  return db.query("test_listed", "select min_epoch from revocations where subject = $1", [subject]);
}

function withResolvers() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
