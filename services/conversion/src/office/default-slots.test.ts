import { expect, test } from "@jest/globals";
import { defaultSlots } from "./default-slots.js";

test.each([
  [{ cores: 2, memoryBytes: 16e9 }, 2],
  [{ cores: 16, memoryBytes: 4e9 }, 3],
  [{ cores: 4, memoryBytes: 1.2e9 }, 1],
  [{ cores: 1, memoryBytes: 512e6 }, 1],
])("a machine with %j feeds %d", (machine, slots) => {
  expect(defaultSlots(machine)).toBe(slots);
});
