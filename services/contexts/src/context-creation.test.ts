import { newId } from "@assistant/kit/process/id.js";
import type { ContextCategory } from "@assistant/proto/assistant/contexts/v1/context_categories.js";
import { ContextsServiceService as rpcs } from "@assistant/proto/assistant/contexts/v1/service.js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPlatform, type Person, type Platform } from "./testing/platform.js";
import { createCategory, createContext, eventsOf, faultOf, refusal } from "./testing/verbs.js";

let platform: Platform;
let editor: Person;
let category: ContextCategory;

beforeAll(async () => {
  platform = await openPlatform();
  editor = platform.person({ role: "editor" });
  category = await createCategory(editor);
});
afterAll(() => platform.close());

describe("creating a context", () => {
  test("answers it with its scope, last in its category, at version 1", async () => {
    const own = await createCategory(editor, { name: "Own" });
    await createContext(editor, own, { title: "First" });
    const { answer, reply } = await editor.exchange(rpcs.createContext, {
      title: "Brief",
      category_id: own.id,
      context: "Answer briefly.",
      scope_id: editor.caller.orgId,
    });
    expect(reply.version).toBe(1);
    expect(answer.context).toEqual({
      id: expect.stringMatching(/^ctx_[0-9a-z]{26}$/),
      title: "Brief",
      category_id: own.id,
      context: "Answer briefly.",
      scope: { type: "SCOPE_TYPE_ORG", scope_id: editor.caller.orgId },
      stack_order: 1,
    });
  });

  test("reports everything that is not known at once, in the order of the fields", async () => {
    const request = { title: "T", context: "C", category_id: newId("cat"), scope_id: newId("org") };
    const fault = await faultOf(editor.ask(rpcs.createContext, request));
    expect(fault.kind).toBe("invalid");
    expect(fault.violations).toEqual([
      {
        path: ["category_id"],
        type: "value_error",
        message: "Value error, Unknown category_id",
        context: { error: {} },
      },
      { path: ["scope_id"], type: "value_error", message: "Value error, Unknown scope_id", context: { error: {} } },
    ]);
  });

  test("refuses an unknown category alone when the scope is good", async () => {
    const request = { title: "T", context: "C", category_id: "none", scope_id: editor.caller.orgId };
    expect(await refusal(editor.ask(rpcs.createContext, request))).toEqual({
      kind: "invalid",
      at: ["category_id: value_error"],
    });
  });

  test("refuses a category of a narrower scope", async () => {
    const mine = await createCategory(editor, { scope_id: editor.caller.principalId });
    const fault = await faultOf(createContext(editor, mine, { scope_id: editor.caller.orgId }));
    expect(fault.violations.map(({ path, message }) => [path, message])).toEqual([
      [["category_id"], "Value error, category_id is not in the scope chain of scope_id"],
    ]);
  });

  test("answers the stored context when it is repeated under the same key", async () => {
    const beside = { idempotencyKey: newId("key") };
    const first = await createContext(editor, category, { title: "Once" }, beside);
    expect(await createContext(editor, category, { title: "Once" }, beside)).toEqual(first);
  });

  test("emits one event that tells where it is but not what it says", async () => {
    const created = await createContext(editor, category, { title: "Secret title", context: "Secret text" });
    const events = await eventsOf(platform, created.id);
    expect(events).toEqual([
      {
        type: "contexts.context.created",
        org_id: editor.caller.orgId,
        sequence: 1,
        actor_id: editor.caller.principalId,
        data: {
          id: created.id,
          category_id: category.id,
          scope: { type: "org", scope_id: editor.caller.orgId },
          stack_order: created.stack_order,
        },
      },
    ]);
  });
});
