import { newId } from "@assistant/kit/process/id.js";
import { enumDescriptor } from "@assistant/kit/rules/descriptor.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import { type ConnectorKind, connectorKindFromJSON } from "@assistant/proto/assistant/common/v1/connectors.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { change, createUseCase, creation, eventsOf, faultOf, present, refusal } from "./testing/verbs.js";

let platform: Platform;
let editor: Person;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
});
afterAll(() => platform.close());

const label = { de: "Vertragsprüfung", en: "Contract review" };
const description = { en: "Finds the clauses that need a second look." };
const sync_connectors = ["CONNECTOR_KIND_SMTP", "CONNECTOR_KIND_MEDIAWIKI"] as const;
const told = { sync_connectors: [], credential_ids: [], sync_connectors_enabled_user_credentials: [] };

describe("creating a use case", () => {
  test("answers it at version 1 as it is read from then on, and emits an event without its texts", async () => {
    const sync_connectors_enabled_user_credentials = ["CONNECTOR_KIND_CLOUD_STORAGE"] as const;
    const request = creation({
      label,
      description,
      sync_connectors: [...sync_connectors],
      sync_connectors_enabled_user_credentials: [...sync_connectors_enabled_user_credentials],
    });
    const { answer, reply } = await editor.exchange(rpcs.createUseCase, request);
    const created = present(answer.use_case);
    expect(reply.version).toBe(1);
    expect(created).toEqual({ ...request, id: expect.stringMatching(/^uc_[0-9a-z]{26}$/) });
    const found = await editor.exchange(rpcs.getUseCase, { use_case_id: created.id });
    expect(found.answer).toEqual(answer);
    expect(found.reply.version).toBe(1);
    const { orgId: org_id, principalId: actor_id } = editor.caller;
    const data = {
      id: created.id,
      sync_connectors: ["smtp", "mediawiki"],
      credential_ids: [],
      sync_connectors_enabled_user_credentials: ["cloud_storage"],
    };
    expect(await eventsOf(platform, created.id)).toEqual([
      { type: "catalog.use_case.created", org_id, sequence: 1, actor_id, data },
    ]);
  });

  test("takes every language and every kind of connector there is", async () => {
    const languages = ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv"];
    const all = Object.fromEntries(languages.map((language) => [language, `In ${language}`]));
    const kinds = everyKind();
    expect(kinds).toHaveLength(13);
    const created = await createUseCase(editor, { label: all, description: all, sync_connectors: kinds });
    expect(created).toMatchObject({ label: all, description: all, sync_connectors: kinds });
  });

  test("needs a label in one language at least", async () => {
    const nothing = editor.ask(rpcs.createUseCase, creation({ label: {} }));
    expect(await refusal(nothing)).toEqual({ kind: "invalid", at: ["label: too_short"] });
  });

  test("refuses credentials that the org does not have, each at its place", async () => {
    const credential_ids = [newId("cred"), newId("cred")];
    const fault = await faultOf(createUseCase(editor, { credential_ids }));
    expect(fault.kind).toBe("invalid");
    expect(fault.violations).toEqual(
      ["0", "1"].map((index) => ({
        path: ["credential_ids", index],
        type: "value_error",
        message: "Value error, Unknown credential_ids",
        context: { error: {} },
      })),
    );
  });

  test("twice with one key creates one and answers it twice", async () => {
    const idempotencyKey = newId("key");
    const first = await createUseCase(editor, { label }, { idempotencyKey });
    const again = await editor.exchange(rpcs.createUseCase, creation({ label }), { idempotencyKey });
    expect(again.answer.use_case).toEqual(first);
    expect(again.reply.replayed).toBe(true);
    const other = creation({ label: { en: "Another" } });
    const refused = editor.ask(rpcs.createUseCase, other, { idempotencyKey });
    expect((await refusal(refused)).at).toEqual(["header.idempotency-key: idempotency_key_reused"]);
  });
});

describe("the texts of a use case in one language", () => {
  test.each([
    ["LOCALE_FR", { label: "Contrats", description: "English" }],
    ["LOCALE_EN", { label: "Contracts", description: "English" }],
    ["LOCALE_SV", { label: "Contracts", description: "English" }],
  ] as const)("for %s are its own, else the English ones, beside all that there are", async (locale, resolved) => {
    const texts = { label: { fr: "Contrats", en: "Contracts" }, description: { de: "Deutsch", en: "English" } };
    const { id } = await createUseCase(editor, texts);
    const { use_case } = await editor.ask(rpcs.getUseCase, { use_case_id: id, locale });
    expect(use_case).toMatchObject({ ...texts, resolved });
    const { items } = await editor.ask(rpcs.listUseCases, { locale, page_size: 1 });
    expect(items).toEqual([use_case]);
  });

  test("are the first that are there where neither is, and a description that is not told stays so", async () => {
    const { id } = await createUseCase(editor, { label: { sv: "Avtal", pl: "Umowy", it: "Contratti" } });
    const { use_case } = await editor.ask(rpcs.getUseCase, { use_case_id: id, locale: "LOCALE_DE" });
    expect(use_case?.resolved).toEqual({ label: "Contratti", description: undefined });
  });

  test("are there only where they are asked for", async () => {
    const { id } = await createUseCase(editor);
    expect((await editor.ask(rpcs.getUseCase, { use_case_id: id })).use_case?.resolved).toBeUndefined();
  });

  test("are not resolved for a language that the platform does not speak", async () => {
    const { id } = await createUseCase(editor);
    const unspoken = { use_case_id: id, locale: "LOCALE_UNSPECIFIED" as const };
    expect(await refusal(editor.ask(rpcs.getUseCase, unspoken))).toEqual({ kind: "invalid", at: ["locale: enum"] });
  });
});

describe("updating a use case", () => {
  test("replaces what is given as a whole and leaves the rest", async () => {
    const { id } = await createUseCase(editor, { label, description, sync_connectors: [...sync_connectors] });
    const { answer, reply } = await editor.exchange(rpcs.updateUseCase, change(id, { label: { fr: "Contrats" } }));
    expect(answer).toEqual({ message: "Use case updated" });
    expect(reply.version).toBe(2);
    const { use_case } = await editor.ask(rpcs.getUseCase, { use_case_id: id });
    expect(use_case).toEqual({ id, ...told, label: { fr: "Contrats" }, description, sync_connectors });
    expect((await eventsOf(platform, id)).map(({ type, sequence }) => [type, sequence])).toEqual([
      ["catalog.use_case.created", 1],
      ["catalog.use_case.updated", 2],
    ]);
  });

  test("empties the lists that are given empty, and only those", async () => {
    const kinds = [...sync_connectors];
    const lists = { sync_connectors: kinds, sync_connectors_enabled_user_credentials: kinds };
    const { id } = await createUseCase(editor, { label, ...lists });
    await editor.ask(rpcs.updateUseCase, change(id, { sync_connectors: [], credential_ids: [] }));
    const { use_case } = await editor.ask(rpcs.getUseCase, { use_case_id: id });
    expect(use_case).toMatchObject({ sync_connectors: [], sync_connectors_enabled_user_credentials: kinds });
  });

  test("that gives nothing, or what is there already, keeps the version and emits nothing", async () => {
    const { id } = await createUseCase(editor, { label, description, sync_connectors: [...sync_connectors] });
    const same = { label: { en: label.en, de: label.de }, description, sync_connectors: [...sync_connectors] };
    for (const about of [{}, same, { credential_ids: [] }]) {
      expect((await editor.exchange(rpcs.updateUseCase, change(id, about))).reply.version).toBe(1);
    }
    expect(await eventsOf(platform, id)).toHaveLength(1);
  });

  test("without a mask takes what holds anything", async () => {
    const { id } = await createUseCase(editor, { label, description });
    const request = { ...change(id, { label: { sv: "Avtal" } }), update_mask: undefined };
    await editor.ask(rpcs.updateUseCase, request);
    expect((await editor.ask(rpcs.getUseCase, { use_case_id: id })).use_case).toMatchObject({
      label: { sv: "Avtal" },
      description,
    });
  });

  test("takes no text away in all languages", async () => {
    const { id } = await createUseCase(editor, { label, description });
    const emptied = editor.ask(rpcs.updateUseCase, change(id, { label: {}, description: {} }));
    expect(await refusal(emptied)).toEqual({ kind: "invalid", at: ["label: too_short", "description: too_short"] });
  });

  test("refuses another version before it looks at credentials, and unknown credentials after", async () => {
    const { id } = await createUseCase(editor);
    const request = change(id, { credential_ids: [newId("cred")] });
    expect((await faultOf(editor.ask(rpcs.updateUseCase, request, { ifMatch: ["2"] }))).kind).toBe("stale");
    expect(await refusal(editor.ask(rpcs.updateUseCase, request, { ifMatch: ["1"] }))).toEqual({
      kind: "invalid",
      at: ["credential_ids.0: value_error"],
    });
  });
});

describe("deleting a use case", () => {
  test("hides it from reading, changing and deleting until it is restored as it was", async () => {
    const { id: use_case_id } = await createUseCase(editor, { label, description });
    const before = await editor.ask(rpcs.getUseCase, { use_case_id });
    expect(await editor.ask(rpcs.deleteUseCase, { use_case_id })).toEqual({ message: "Use case deleted" });
    for (const again of [
      editor.ask(rpcs.getUseCase, { use_case_id }),
      editor.ask(rpcs.updateUseCase, change(use_case_id, { label })),
      editor.ask(rpcs.deleteUseCase, { use_case_id }),
    ]) {
      expect((await faultOf(again)).kind).toBe("missing");
    }
    const { answer, reply } = await editor.exchange(rpcs.restoreUseCase, { use_case_id });
    expect(answer).toEqual(before);
    expect(reply.version).toBe(3);
    expect(await editor.ask(rpcs.getUseCase, { use_case_id })).toEqual(before);
    const { orgId: org_id, principalId: actor_id } = editor.caller;
    const [, ...events] = await eventsOf(platform, use_case_id);
    const data = { id: use_case_id, ...told };
    expect(events).toEqual([
      { type: "catalog.use_case.deleted", org_id, sequence: 2, actor_id, data },
      { type: "catalog.use_case.restored", org_id, sequence: 3, actor_id, data },
    ]);
  });

  test("refuses another version", async () => {
    const { id: use_case_id } = await createUseCase(editor);
    const refused = editor.ask(rpcs.deleteUseCase, { use_case_id }, { ifMatch: ["2"] });
    expect((await faultOf(refused)).kind).toBe("stale");
    await editor.ask(rpcs.deleteUseCase, { use_case_id }, { ifMatch: ["1"] });
  });
});

describe("restoring a use case", () => {
  test("that is not deleted is refused, and one that never was is unknown", async () => {
    const { id: use_case_id } = await createUseCase(editor);
    const fault = await faultOf(editor.ask(rpcs.restoreUseCase, { use_case_id }));
    expect({ kind: fault.kind, context: fault.violations[0]?.context }).toEqual({
      kind: "conflict",
      context: { reason: "state" },
    });
    expect((await faultOf(editor.ask(rpcs.restoreUseCase, { use_case_id: newId("uc") }))).kind).toBe("missing");
  });
});

/** As the proto tells them. */
function everyKind(): ConnectorKind[] {
  const { values } = enumDescriptor("assistant.common.v1.ConnectorKind");
  return values.filter(({ number }) => number !== 0).map(({ name }) => connectorKindFromJSON(name));
}
