import type { Role } from "@assistant/kit/caller/caller.js";
import { describe, expect, test } from "@jest/globals";
import { grantScope } from "./granted-scope.js";

const holder = (role: Role, platformAdmin = false) => ({ role, platformAdmin });

describe("the scope of a token", () => {
  test("is all that the client holds if it asks for none", () => {
    expect(grantScope(undefined, holder("editor"))).toEqual({ role: "editor", platformAdmin: false, scope: "editor" });
    const all = { role: "admin", platformAdmin: true, scope: "admin platform_admin" };
    expect(grantScope(undefined, holder("admin", true))).toEqual(all);
  });

  test("is less if the client asks for less", () => {
    expect(grantScope("member", holder("admin", true))).toEqual({
      role: "member",
      platformAdmin: false,
      scope: "member",
    });
    expect(grantScope("editor platform_admin", holder("admin", true))).toEqual({
      role: "editor",
      platformAdmin: true,
      scope: "editor platform_admin",
    });
  });

  test("is the greatest of the roles asked for", () => {
    expect(grantScope("member editor member", holder("admin")).scope).toBe("editor");
  });

  test.each([
    ["a greater role", "admin", holder("editor")],
    ["a greater role beside a fitting one", "member admin", holder("editor")],
    ["the platform by one who does not manage it", "admin platform_admin", holder("admin")],
    ["the platform without a role", "platform_admin", holder("admin", true)],
    ["an unknown word", "root", holder("admin", true)],
    ["an unknown word beside a fitting one", "member root", holder("admin", true)],
    ["two blanks", "member  editor", holder("admin")],
    ["nothing but blanks", " ", holder("admin")],
    ["a role in capitals", "MEMBER", holder("admin")],
  ])("is refused for %s", (_, asked, held) => {
    expect(() => grantScope(asked, held)).toThrow("invalid_scope");
  });
});
