import { expect, test } from "@jest/globals";
import { createRefusedFiles } from "./refused-files.js";

test("a file is refused for ten minutes from the last time that it was added", () => {
  let nowMs = 5_000;
  const refused = createRefusedFiles(() => nowMs);
  refused.add("x");
  expect([refused.has("x"), refused.has("y")]).toEqual([true, false]);
  nowMs += 300_000;
  refused.add("x");
  nowMs += 599_999;
  expect(refused.has("x")).toBe(true);
  nowMs += 1;
  expect(refused.has("x")).toBe(false);
});

test("however many files are refused, only the last ten thousand are remembered", () => {
  const refused = createRefusedFiles(() => 0);
  for (let index = 0; index <= 10_000; index++) refused.add(String(index));
  expect([refused.has("0"), refused.has("1"), refused.has("10000")]).toEqual([false, true, true]);
});
