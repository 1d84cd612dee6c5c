import { describe, expect, test } from "@jest/globals";
import { safeReturnTo } from "./return-to.js";

const PUBLIC_URL = "https://assistant.example";

describe("where a browser may be led after signing in", () => {
  test.each([
    ["/", "/"],
    ["/docs", "/docs"],
    ["/docs?a=1&b=%2F#part", "/docs?a=1&b=%2F#part"],
    ["/a/../docs", "/docs"],
    ["/login-history", "/login-history"],
    [`/${"x".repeat(1_999)}`, `/${"x".repeat(1_999)}`],
  ])("%.40s is a path of this platform", (asked, led) => {
    expect(safeReturnTo(asked, PUBLIC_URL)).toBe(led);
  });

  test.each([
    ["nothing", undefined],
    ["nothing written", ""],
    ["another site", "https://evil.example/"],
    ["another scheme", "javascript:alert(1)"],
    ["a host behind two slashes", "//evil.example/docs"],
    ["a host behind a slash and a backslash", "/\\evil.example/docs"],
    ["a host behind a backslash", "\\/evil.example"],
    ["a host that dots would uncover", "/.//evil.example"],
    ["a host that going up would uncover", "/x/..//evil.example"],
    ["a tab, which browsers drop", "/\t/evil.example"],
    ["a line break", "/docs\r\nSet-Cookie: a=b"],
    ["a null character", "/docs\0"],
    ["a relative path", "docs"],
    ["a path that is too long", `/${"x".repeat(2_000)}`],
    ["signing in", "/api/core/saml/login?connection=a"],
    ["signing in, dressed up", "/docs/../api/core/saml/acs"],
    ["signing in, encoded", "/api/core/%73aml/slo"],
    ["signing in, by encoded dots", "/docs/%2e%2e/login/magic"],
    ["signing in, by encoded slashes", "/docs%2f..%2fapi%2fcore%2fauth%2ftoken"],
    ["signing in, in capitals", "/API/core/SAML/slo"],
    ["the page of magic links", "/login/magic#t=x"],
  ])("%s leads to the start page", (_, asked) => {
    expect(safeReturnTo(asked, PUBLIC_URL)).toBe("/");
  });
});
