import type { Caller } from "@assistant/kit/caller/caller.js";
import { newId } from "@assistant/kit/process/id.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { change, createUseCase, creation, outcome } from "./testing/verbs.js";

let platform: Platform;
let orgId: string;
let admin: Person;
let useCaseId: string;
let deletedId: string;

beforeAll(async () => {
  platform = await openPlatform();
  orgId = newId("org");
  admin = platform.person({ orgId, role: "admin" });
});
beforeEach(async () => {
  useCaseId = (await createUseCase(admin)).id;
  deletedId = (await createUseCase(admin)).id;
  await admin.ask(rpcs.deleteUseCase, { use_case_id: deletedId });
});
afterAll(() => platform.close());

interface Rights {
  read: string;
  list: boolean;
  create: string;
  write: string;
  restore: string;
  restoreActive: string;
}

const writer = { read: "done", list: true, create: "done", write: "done", restore: "done", restoreActive: "conflict" };
const reader = { ...writer, create: "denied", write: "denied", restore: "missing", restoreActive: "denied" };
const none = { read: "missing", list: false, write: "missing", restore: "missing", restoreActive: "missing" };

const rows: [who: string, about: () => Partial<Caller>, rights: Rights][] = [
  ["an admin", () => ({ orgId, role: "admin" }), writer],
  ["an editor", () => ({ orgId, role: "editor" }), writer],
  ["a member", () => ({ orgId, role: "member" }), reader],
  ["a service account", () => ({ orgId, kind: "service_account", principalId: newId("sva") }), reader],
  ["an admin of another org", () => ({ role: "admin" }), { ...none, create: "done" }],
  ["a platform admin elsewhere", () => ({ role: "admin", platformAdmin: true }), { ...none, create: "done" }],
];

describe.each(rows)("%s", (_, about, { read, list, create, write, restore, restoreActive }) => {
  test(`reads: ${read}, lists: ${list}, creates: ${create}, changes: ${write}, restores: ${restore}`, async () => {
    const person = platform.person(about());
    const use_case_id = useCaseId;
    expect(await outcome(person.ask(rpcs.getUseCase, { use_case_id }))).toBe(read);
    const { items } = await person.ask(rpcs.listUseCases, { page_size: 200 });
    expect(items.some(({ id }) => id === use_case_id)).toBe(list);
    expect(items.some(({ id }) => id === deletedId)).toBe(false);
    expect(await outcome(person.ask(rpcs.createUseCase, creation()))).toBe(create);
    expect(await outcome(person.ask(rpcs.updateUseCase, change(use_case_id, { label: { en: "X" } })))).toBe(write);
    expect(await outcome(person.ask(rpcs.restoreUseCase, { use_case_id: deletedId }))).toBe(restore);
    expect(await outcome(person.ask(rpcs.restoreUseCase, { use_case_id }))).toBe(restoreActive);
    expect(await outcome(person.ask(rpcs.deleteUseCase, { use_case_id }))).toBe(write);
  });
});

describe("a guest", () => {
  test("reads the use case of the session, in lists too, and knows no other", async () => {
    const guest = platform.person({ orgId, kind: "service_account", principalId: newId("sva"), useCaseId });
    const other = await createUseCase(admin);
    expect(await outcome(guest.ask(rpcs.getUseCase, { use_case_id: useCaseId }))).toBe("done");
    expect(await outcome(guest.ask(rpcs.getUseCase, { use_case_id: other.id }))).toBe("missing");
    const { items } = await guest.ask(rpcs.listUseCases, {});
    expect(items.map(({ id }) => id)).toEqual([useCaseId]);
    expect((await guest.ask(rpcs.listUseCases, { text: "no such text" })).items).toEqual([]);
  });

  test("of a use case that is deleted, or of another org, reads nothing", async () => {
    const late = platform.person({ orgId, useCaseId: deletedId });
    const foreign = platform.person({ useCaseId });
    for (const [guest, use_case_id] of [
      [late, deletedId],
      [foreign, useCaseId],
    ] as const) {
      expect(await outcome(guest.ask(rpcs.getUseCase, { use_case_id }))).toBe("missing");
      expect((await guest.ask(rpcs.listUseCases, {})).items).toEqual([]);
    }
  });

  test("changes nothing, whatever its role says", async () => {
    for (const role of ["member", "admin"] as const) {
      const guest = platform.person({ orgId, role, useCaseId });
      const use_case_id = useCaseId;
      expect(await outcome(guest.ask(rpcs.createUseCase, creation()))).toBe("denied");
      expect(await outcome(guest.ask(rpcs.updateUseCase, change(use_case_id, { label: { en: "X" } })))).toBe("denied");
      expect(await outcome(guest.ask(rpcs.deleteUseCase, { use_case_id }))).toBe("denied");
      expect(await outcome(guest.ask(rpcs.restoreUseCase, { use_case_id }))).toBe("denied");
    }
  });
});

test("without a token nothing is answered", async () => {
  const stranger = platform.stranger();
  for (const asked of [
    stranger.ask(rpcs.createUseCase, creation()),
    stranger.ask(rpcs.getUseCase, { use_case_id: useCaseId }),
    stranger.ask(rpcs.listUseCases, {}),
    stranger.ask(rpcs.updateUseCase, change(useCaseId, {})),
    stranger.ask(rpcs.deleteUseCase, { use_case_id: useCaseId }),
    stranger.ask(rpcs.restoreUseCase, { use_case_id: useCaseId }),
  ]) {
    expect(await outcome(asked)).toBe("unauthenticated");
  }
});
