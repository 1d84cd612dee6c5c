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

  const unknown = "scope must be among admin, editor, member, platform_admin";
  const excess = "the scope exceeds what the client holds";

  test.each([
    ["a greater role", "admin", holder("editor"), excess],
    ["a greater role beside a fitting one", "member admin", holder("editor"), excess],
    ["the platform by one who does not manage it", "admin platform_admin", holder("admin"), excess],
    ["the platform alone by one who does not manage it", "platform_admin", holder("admin"), excess],
    [
      "the platform without a role",
      "platform_admin",
      holder("admin", true),
      "scope must name a role beside platform_admin",
    ],
    ["an unknown word", "root", holder("admin", true), unknown],
    ["an unknown word beside a fitting one", "member root", holder("admin", true), unknown],
    ["an unknown word beside a greater role", "admin root", holder("member"), unknown],
    ["two blanks", "member  editor", holder("admin"), unknown],
    ["nothing but blanks", " ", holder("admin"), unknown],
    ["a role in capitals", "MEMBER", holder("admin"), unknown],
  ])("is refused for %s", (_, asked, held, description) => {
    expect(() => grantScope(asked, held)).toThrow(expect.objectContaining({ message: "invalid_scope", description }));
  });
});
