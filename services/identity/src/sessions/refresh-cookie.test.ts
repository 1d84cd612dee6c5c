import { describe, expect, test } from "@jest/globals";
import { clearedRefreshCookie, readRefreshCookie, refreshCookie } from "./refresh-cookie.js";

const TLS = "https://assistant.example";
const LOOPBACK = "http://127.0.0.1:8080";
const END = new Date("2030-01-02T03:04:05.678Z");

test("behind TLS the cookie belongs to this host alone, out of reach of scripts and other sites", () => {
  expect(refreshCookie(TLS, "token", END)).toBe(
    "__Host-refresh=token; Path=/; Expires=Wed, 02 Jan 2030 03:04:05 GMT; HttpOnly; SameSite=Strict; Secure",
  );
});

test("on http it has neither prefix nor Secure, which browsers would refuse there", () => {
  expect(refreshCookie(LOOPBACK, "token", END)).toBe(
    "refresh=token; Path=/; Expires=Wed, 02 Jan 2030 03:04:05 GMT; HttpOnly; SameSite=Strict",
  );
});

test("a cleared cookie has the name and the place of the one it clears, and is over", () => {
  expect(clearedRefreshCookie(TLS)).toBe(
    "__Host-refresh=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict; Secure",
  );
});

describe("a Cookie header", () => {
  test.each([
    ["alone", "__Host-refresh=a", "a"],
    ["among others", "x=1;__Host-refresh=a; y=2", "a"],
    ["twice the same", "__Host-refresh=a; __Host-refresh=a", "a"],
    ["with signs of equality", "__Host-refresh=a=b", "a=b"],
  ])("tells the token: %s", (_, header, token) => {
    expect(readRefreshCookie(header, TLS)).toBe(token);
  });

  test.each([
    ["that is missing", undefined],
    ["without ours", "x=1"],
    ["with the name used on http", "refresh=a"],
    ["with a longer name", "x__Host-refresh=a"],
    ["with another case", "__host-refresh=a"],
    ["with an empty one", "__Host-refresh="],
    ["with two that differ", "__Host-refresh=a; __Host-refresh=b"],
    ["with a name alone", "__Host-refresh"],
  ])("tells none: %s", (_, header) => {
    expect(readRefreshCookie(header, TLS)).toBeUndefined();
  });

  test("on http tells that of http only", () => {
    expect(readRefreshCookie("refresh=a; __Host-refresh=b", LOOPBACK)).toBe("a");
  });
});
