import { describe, expect, test } from "@jest/globals";
import { compileProtos } from "../testing/protos.js";
import {
  enumDescriptor,
  isRepeatable,
  messageDescriptor,
  methodDescriptor,
  platformRegistry,
  rulesOf,
  wordOf,
  wordsOf,
} from "./descriptor.js";
import { createChecker } from "./rules.js";

describe("the platform's own descriptor", () => {
  test("says which rpcs may be repeated", () => {
    expect(isRepeatable(methodDescriptor("/assistant.common.v1.CallersService/GetKeys"))).toBe(true);
  });

  test("holds rules that every request of every service can be checked by", () => {
    const services = [...platformRegistry()].filter(({ kind }) => kind === "service");
    const requests = services.flatMap((service) => (service.kind === "service" ? service.methods : []));
    expect(requests.length).toBeGreaterThan(2);
    for (const { input } of requests) {
      expect(() => createChecker(input)).not.toThrow();
    }
  });

  test("what it does not describe is named", () => {
    expect(() => methodDescriptor("/assistant.common.v1.CallersService/Nothing")).toThrow("CallersService/Nothing");
    expect(() => methodDescriptor("nonsense")).toThrow("nonsense");
    expect(() => messageDescriptor("a.B")).toThrow("a.B");
    expect(() => enumDescriptor("a.B")).toThrow("a.B");
  });
});

test("a value's word is its name less the enum's prefix, or what its option says", () => {
  const registry = compileProtos({
    "probe/v1/probe.proto": `
      syntax = "proto3";
      package probe.v1;
      import "assistant/common/v1/rules.proto";
      enum ItemType {
        ITEM_TYPE_UNSPECIFIED = 0;
        ITEM_TYPE_MULTI_SELECT = 1;
        ITEM_TYPE_DRIVE = 2 [(assistant.common.v1.word) = "DriveStructure"];
      }
      message Plain { string text = 1; }
    `,
  });
  const described = enumDescriptor("probe.v1.ItemType", registry);
  expect(described.values.map(wordOf)).toEqual(["unspecified", "multi_select", "DriveStructure"]);
  expect(wordsOf(described)).toEqual(["multi_select", "DriveStructure"]);
  expect(messageDescriptor("probe.v1.Plain", registry).fields.map(rulesOf)[0]).toMatchObject({ required: false });
});
