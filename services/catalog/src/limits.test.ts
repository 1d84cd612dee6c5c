import { newId } from "@assistant/kit/process/id.js";
import { CatalogServiceService as rpcs } from "@assistant/proto/assistant/catalog/v1/service.js";
import type { ConnectorKind } from "@assistant/proto/assistant/common/v1/connectors.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { change, createUseCase, refusal } from "./testing/verbs.js";

let platform: Platform;
let editor: Person;
let useCaseId: string;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
  useCaseId = (await createUseCase(editor)).id;
});
afterAll(() => platform.close());

/** What is wrong, in short; empty: nothing with the shape of the request. */
async function shapeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "",
    async (error) =>
      (await refusal(Promise.reject(error))).at.filter((violation) => !violation.endsWith("value_error")).join(),
  );
}

const update = (about: Parameters<typeof change>[1]) => editor.ask(rpcs.updateUseCase, change(useCaseId, about));

interface Length {
  field: string;
  most: number;
  send: (value: string) => Promise<unknown>;
}

const lengths: Length[] = [
  { field: "label.pl", most: 200, send: (pl) => createUseCase(editor, { label: { pl } }) },
  { field: "description.pl", most: 4_000, send: (pl) => createUseCase(editor, { description: { pl } }) },
  { field: "credential_ids.0", most: 64, send: (id) => createUseCase(editor, { credential_ids: [id] }) },
  { field: "label.sv", most: 200, send: (sv) => update({ label: { sv } }) },
  { field: "description.sv", most: 4_000, send: (sv) => update({ description: { sv } }) },
  { field: "credential_ids.0", most: 64, send: (id) => update({ credential_ids: [id] }) },
  { field: "text", most: 200, send: (text) => editor.ask(rpcs.listUseCases, { text }) },
  {
    field: "knowledge_asset_id",
    most: 64,
    send: (knowledge_asset_id) => editor.ask(rpcs.listUseCases, { knowledge_asset_id }),
  },
];

describe.each(lengths)("a text of $field", ({ field, most, send }) => {
  test("is not empty", async () => {
    expect(await shapeOf(send(""))).toBe(`${field}: string_too_short`);
    expect(await shapeOf(send("x"))).toBe("");
  });

  test("counts as many code points as it may have, and no more", async () => {
    const outcomes = {
      below: await shapeOf(send("😀".repeat(most - 1))),
      at: await shapeOf(send("😀".repeat(most))),
      above: await shapeOf(send(`${"😀".repeat(most)}x`)),
    };
    expect(outcomes).toEqual({ below: "", at: "", above: `${field}: string_too_long` });
  });

  test("holds no null character", async () => {
    expect((await refusal(send("a\0b"))).at).toEqual([`${field}: value_error`]);
  });
});

describe.each([
  ["creating", (about: Parameters<typeof createUseCase>[1]) => createUseCase(editor, about)],
  ["updating", update],
])("%s a use case", (_, send) => {
  test("takes only the languages of the platform", async () => {
    const violations = (await refusal(send({ label: { xx: "a", en: "b" }, description: { EN: "a" } }))).at;
    expect(violations).toEqual(["label.xx.[key]: enum", "description.EN.[key]: enum"]);
  });

  test("takes 200 kinds of connectors, and no more", async () => {
    const kinds = (count: number): ConnectorKind[] => Array(count).fill("CONNECTOR_KIND_SMTP");
    for (const field of ["sync_connectors", "sync_connectors_enabled_user_credentials"]) {
      expect(await shapeOf(send({ [field]: kinds(199) }))).toBe("");
      expect(await shapeOf(send({ [field]: kinds(200) }))).toBe("");
      expect(await shapeOf(send({ [field]: kinds(201) }))).toBe(`${field}: too_long`);
      // The zero value of the enum means that none is given.
      expect(await shapeOf(send({ [field]: ["CONNECTOR_KIND_UNSPECIFIED"] }))).toBe(`${field}.0: enum`);
    }
  });

  test("takes 200 credentials, and no more", async () => {
    const ids = (count: number) => Array.from({ length: count }, () => newId("cred"));
    expect(await shapeOf(send({ credential_ids: ids(200) }))).toBe("");
    expect((await refusal(send({ credential_ids: ids(201) }))).at).toEqual(["credential_ids: too_long"]);
  });
});

test("a page holds 1 to 200 use cases", async () => {
  const send = (page_size: number) => shapeOf(editor.ask(rpcs.listUseCases, { page_size }));
  expect(await send(0)).toBe("page_size: greater_than_equal");
  expect(await send(1)).toBe("");
  expect(await send(200)).toBe("");
  expect(await send(201)).toBe("page_size: less_than_equal");
});
