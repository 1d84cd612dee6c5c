import { expect, test } from "@jest/globals";
import { createLog } from "./log.js";

function logged(write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  write(createLog("contexts", "1.2.3", "info", { write: (line) => lines.push(line) }));
  return lines;
}

test("a line is JSON: time, level, service, version, and what it says", () => {
  const [line = ""] = logged((log) => log.info({ rpc: "/a/b" }, "answered"));
  expect(JSON.parse(line)).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    level: "info",
    service: "contexts",
    version: "1.2.3",
    rpc: "/a/b",
    msg: "answered",
  });
});

test("below the level nothing is written", () => {
  expect(logged((log) => log.debug("hidden"))).toEqual([]);
});

test("an error is written with type, message, stack and cause", () => {
  const error = new Error("outer", { cause: new TypeError("inner") });
  const [line = ""] = logged((log) => log.error({ err: error }, "failed"));
  expect(JSON.parse(line).err).toMatchObject({
    type: "Error",
    message: "outer: inner",
    stack: expect.stringContaining("inner"),
  });
});

const JWT = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c3JfMSJ9.c2lnbmF0dXJl";

test.each([
  ["a named field", { token: "planted-secret" }],
  ["a field of an object", { body: { password: "planted-secret" } }],
  ["a header", { headers: { authorization: "Bearer planted-secret" } }],
  ["a bearer in a text", { note: "sent Authorization: Bearer planted-secret away" }],
  ["a client in a text", { note: "sent Authorization: Basic planted-secret away" }],
  ["a bearer in an error", { err: new Error("refused: bearer planted-secret") }],
  ["a key", { note: "asst_sk_01jd3v_plantedsecret_abc123" }],
  ["a link", { note: "see #t=aml_plantedsecret" }],
  ["a password in a URL", { err: new Error("connect postgres://app:planted-secret@db:5432/x failed") }],
])("a secret never leaves: %s", (_name, fields) => {
  const [line = ""] = logged((log) => log.info(fields, "told"));
  expect(line).not.toMatch(/planted-?secret/);
  expect(line).toContain("[redacted]");
  expect(() => JSON.parse(line)).not.toThrow();
});

test("a JWT never leaves, wherever it stands", () => {
  const [line = ""] = logged((log) => log.info({ deep: { er: { still: `x${JWT} y` } } }, `got ${JWT}`));
  expect(line).not.toContain("eyJzdWIiOiJ1c3JfMSJ9");
  expect(JSON.parse(line).msg).toBe("got [redacted]");
});
