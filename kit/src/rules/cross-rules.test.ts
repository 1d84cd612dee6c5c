import { describe, expect, test } from "@jest/globals";
import { compileProtos } from "../testing/protos.js";
import { type Checker, createChecker } from "./rules.js";

const registry = compileProtos({
  "probe/v1/probe.proto": `
    syntax = "proto3";
    package probe.v1;
    import "assistant/common/v1/rules.proto";
    enum Kind {
      KIND_UNSPECIFIED = 0;
      KIND_TEXT = 1;
      KIND_SELECT = 2;
      KIND_DRIVE = 3 [(assistant.common.v1.word) = "DriveStructure"];
    }
    message Tree {
      optional string name = 1 [(assistant.common.v1.rules) = {required: true}];
      repeated Tree children = 2;
      Tree next = 3;
    }
    message Option { optional string value = 1 [(assistant.common.v1.rules) = {required: true}]; }
    message Guided {
      repeated Option options = 1 [(assistant.common.v1.rules) = {
        only_with: {field: "type" words: "select" text: "Options are only allowed for select"}}];
      optional Kind type = 2 [(assistant.common.v1.rules) = {required: true}];
      optional string label = 3 [(assistant.common.v1.rules) = {required: true}];
    }
    message Item {
      option (assistant.common.v1.message_rules) = {discriminator: "type"};
      optional string id = 1 [(assistant.common.v1.rules) = {required: true min_length: 1}];
      optional Kind type = 2 [(assistant.common.v1.rules) = {required: true}];
    }
    message Extend {
      option (assistant.common.v1.message_rules) = {
        exactly_one: {fields: ["credential_id", "oauth_credential_id"] or: "setting_id" text: "Provide exactly one"}};
      Item item = 1 [(assistant.common.v1.rules) = {required: true}];
      optional string credential_id = 2;
      optional string oauth_credential_id = 3;
      optional string setting_id = 4;
    }
    message Choice { oneof choice { string text = 1 [(assistant.common.v1.rules) = {max_length: 2}]; Option option = 2; } }
  `,
});

describe("messages", () => {
  test("fields are told in the order of their declaration, and a message may hold itself", () => {
    const told = checker("Tree")({ children: [{ children: [{}] }], next: { name: "a" } });
    expect(told.map(({ path }) => path.join("."))).toEqual(["name", "children.0.name", "children.0.children.0.name"]);
  });

  test("a field that goes only with certain words is told at its own place, once both are right", () => {
    const told = (message: object) => checker("Guided")(message).map(({ path, type }) => [path.join("."), type]);
    expect(told({ type: "KIND_SELECT" })).toEqual([
      ["options", "missing"],
      ["label", "missing"],
    ]);
    expect(told({ type: "KIND_TEXT", options: [{ value: "a" }] })).toEqual([
      ["options", "value_error"],
      ["label", "missing"],
    ]);
    expect(told({ type: "UNRECOGNIZED", options: [{ value: "a" }], label: "a" })).toEqual([["type", "enum"]]);
    expect(told({ type: "KIND_TEXT", options: [{}], label: "a" })).toEqual([["options.0.value", "missing"]]);
    expect(told({ type: "KIND_SELECT", options: [{ value: "a" }], label: "a" })).toEqual([]);
    expect(told({ type: "KIND_TEXT", options: [], label: "a" })).toEqual([]);
  });

  test("the word of the variant stands in the path of its fields", () => {
    const told = (item: object) => checker("Extend")({ item, credential_id: "a" });
    expect(told({ type: "KIND_DRIVE" }).map(({ path }) => path)).toEqual([["item", "DriveStructure", "id"]]);
    expect(told({ id: "" })).toEqual([
      {
        path: ["item"],
        type: "union_tag_not_found",
        message: "Unable to extract tag using discriminator 'type'",
        context: { discriminator: "'type'" },
      },
    ]);
    expect(told({ type: "UNRECOGNIZED" })).toEqual([
      {
        path: ["item"],
        type: "union_tag_invalid",
        message:
          "Input tag 'UNRECOGNIZED' found using 'type' does not match any of the expected tags: 'text', 'select', 'DriveStructure'",
        context: {
          discriminator: "'type'",
          tag: "UNRECOGNIZED",
          expected_tags: "'text', 'select', 'DriveStructure'",
        },
      },
    ]);
  });

  test("exactly one of some fields is given, or what may stand for them", () => {
    const item = { id: "a", type: "KIND_TEXT" };
    const told = (fields: object) => checker("Extend")({ item, ...fields }).map(({ path, type }) => [path, type]);
    expect(told({})).toEqual([[[], "value_error"]]);
    expect(told({ credential_id: "a", oauth_credential_id: "b" })).toEqual([[[], "value_error"]]);
    expect(told({ credential_id: "a", oauth_credential_id: "b", setting_id: "c" })).toEqual([[[], "value_error"]]);
    expect(told({ credential_id: "a" })).toEqual([]);
    expect(told({ setting_id: "a" })).toEqual([]);
    expect(told({ setting_id: "a", credential_id: "b" })).toEqual([]);
  });

  test("such a rule waits until everything else is right", () => {
    expect(checker("Extend")({ item: { id: "", type: "KIND_TEXT" } }).map(({ type }) => type)).toEqual([
      "string_too_short",
    ]);
  });

  test("of a oneof the member that is there is checked", () => {
    const told = (choice: object) => checker("Choice")({ choice }).map(({ path, type }) => [path.join("."), type]);
    expect(told({ $case: "text", value: "abc" })).toEqual([["text", "string_too_long"]]);
    expect(told({ $case: "option", value: {} })).toEqual([["option.value", "missing"]]);
    expect(checker("Choice")({})).toEqual([]);
  });
});

test.each(['only_with: {field: "nothing"}', 'only_with: {field: "name"}'])(
  "a rule that cannot be kept is found when the service starts: %s",
  (rule) => {
    const broken = compileProtos({
      "broken/v1/broken.proto": `
        syntax = "proto3";
        package broken.v1;
        import "assistant/common/v1/rules.proto";
        message Broken { optional string name = 1; repeated string tied = 2 [(assistant.common.v1.rules) = {${rule}}]; }
      `,
    });
    expect(() => createChecker("broken.v1.Broken", broken)).toThrow("broken.v1.Broken");
  },
);

function checker(name: string): Checker {
  return createChecker(`probe.v1.${name}`, registry);
}
