import { expect, test } from "@jest/globals";
import { parseWorkerLine } from "./worker-protocol.js";

const usage = { id: 1, rssBytes: 2, openFiles: 3 };

test.each([
  { event: "ready" },
  { ...usage, loadMs: 1.5, exportMs: 2 },
  { ...usage, error: "password", text: "not loaded" },
])("what a worker says is taken: %j", (line) => {
  expect(parseWorkerLine(JSON.stringify(line))).toEqual(line);
});

test.each([
  "",
  "Segmentation fault",
  "null",
  "[]",
  '{"event":"done"}',
  JSON.stringify(usage),
  JSON.stringify({ ...usage, loadMs: "1", exportMs: 2 }),
  JSON.stringify({ ...usage, id: null, loadMs: 1, exportMs: 2 }),
  JSON.stringify({ ...usage, error: "whatever", text: "" }),
])("what no worker says is not taken: %j", (line) => {
  expect(parseWorkerLine(line)).toBeUndefined();
});
