import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readConfig, variable } from "./config.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "config-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const secretFile = (text: string) => {
  const path = join(folder, "secret");
  writeFileSync(path, text);
  return path;
};

const SPEC = {
  LISTEN: variable.text("127.0.0.1:50051"),
  POOL_MAX: variable.integer({ ge: 1, le: 100 }, 10),
  PORT: variable.port(8080),
  HSTS: variable.flag(false),
  CORS_ORIGINS: variable.list([]),
  GRACE: variable.durationMs(5_000),
  LOG_LEVEL: variable.oneOf(["debug", "info"], "info"),
  NATS_URL: variable.optional(variable.text()),
  BUS_PASSWORD: variable.optional(variable.secret()),
};

describe("values", () => {
  test("nothing given: the defaults, frozen", () => {
    const config = readConfig(SPEC, {});
    expect(config).toEqual({
      LISTEN: "127.0.0.1:50051",
      POOL_MAX: 10,
      PORT: 8080,
      HSTS: false,
      CORS_ORIGINS: [],
      GRACE: 5_000,
      LOG_LEVEL: "info",
      NATS_URL: undefined,
      BUS_PASSWORD: undefined,
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test("what is given is parsed; set to nothing is not given", () => {
    const config = readConfig(SPEC, {
      LISTEN: "",
      POOL_MAX: "100",
      PORT: "0",
      HSTS: "On",
      CORS_ORIGINS: "https://a.example, https://b.example,",
      GRACE: "2m",
      LOG_LEVEL: "debug",
      NATS_URL: "nats://localhost",
      OTHER: "ignored",
    });
    expect(config).toMatchObject({
      LISTEN: "127.0.0.1:50051",
      POOL_MAX: 100,
      PORT: 0,
      HSTS: true,
      CORS_ORIGINS: ["https://a.example", "https://b.example"],
      GRACE: 120_000,
      LOG_LEVEL: "debug",
      NATS_URL: "nats://localhost",
    });
  });

  test("a URL has no slash at its end", () => {
    expect(readConfig({ PUBLIC_URL: variable.url() }, { PUBLIC_URL: "https://a.example/x/" })).toEqual({
      PUBLIC_URL: "https://a.example/x",
    });
  });
});

describe("secrets", () => {
  const spec = { PASSWORD: variable.secret() };

  test("come from the variable or from the file that it names, less the line's end", () => {
    expect(readConfig(spec, { PASSWORD: "direct" })).toEqual({ PASSWORD: "direct" });
    expect(readConfig(spec, { PASSWORD_FILE: secretFile("from file\n") })).toEqual({ PASSWORD: "from file" });
  });

  test("from both, from nowhere or from a file that is not there they are refused, without being shown", () => {
    expect(() => readConfig(spec, {})).toThrow("PASSWORD or PASSWORD_FILE must be set");
    const both = { PASSWORD: "hunter2", PASSWORD_FILE: secretFile("hunter3") };
    expect(() => readConfig(spec, both)).toThrow("PASSWORD and PASSWORD_FILE must not both be set");
    expect(() => readConfig(spec, both)).not.toThrow(/hunter/);
    expect(() => readConfig(spec, { PASSWORD_FILE: join(folder, "absent") })).toThrow(
      "cannot be read from PASSWORD_FILE",
    );
    expect(() => readConfig(spec, { PASSWORD_FILE: secretFile("\n") })).toThrow("PASSWORD must not be blank");
  });
});

test("everything that is wrong is said at once", () => {
  const spec = { ...SPEC, DATABASE_URL: variable.text(), PUBLIC_URL: variable.url() };
  const environment = {
    POOL_MAX: "101",
    PORT: "65536",
    HSTS: "maybe",
    GRACE: "5",
    LOG_LEVEL: "loud",
    PUBLIC_URL: "ftp://a.example",
    LISTEN: " ",
  };
  expect(() => readConfig(spec, environment)).toThrow(
    [
      "the configuration is not usable:",
      "  LISTEN must not be blank",
      "  POOL_MAX must be a whole number from 1 to 100",
      "  PORT must be a whole number from 0 to 65535",
      "  HSTS must be on or off",
      "  GRACE must be a duration such as 250ms, 5s, 10m, 2h or 7d",
      "  LOG_LEVEL must be one of debug, info",
      "  DATABASE_URL must be set",
      "  PUBLIC_URL must be an absolute http or https URL",
    ].join("\n"),
  );
});

test.each(["1.5", "1e1", "0x10", " 5", "abc", "-1"])("%j is no whole number of the bounds", (text) => {
  expect(() => readConfig({ N: variable.integer({ ge: 0, le: 100 }) }, { N: text })).toThrow(
    "N must be a whole number",
  );
});
