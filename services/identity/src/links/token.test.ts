import { describe, expect, test } from "@jest/globals";
import { newKeyring } from "../testing/platform.js";
import { isLinkToken, linkLookup, linkLookups, newLinkToken, openLinkToken, sealLinkToken } from "./token.js";

describe("the token of a link", () => {
  test("is aml_, 43 letters and digits and a checksum, and never the same", () => {
    const tokens = Array.from({ length: 200 }, newLinkToken);
    for (const token of tokens) {
      expect(token).toMatch(/^aml_[0-9A-Za-z]{49}$/);
      expect(isLinkToken(token)).toBe(true);
    }
    expect(new Set(tokens).size).toBe(200);
  });

  test("is known for none with one character changed, left out or added", () => {
    const token = newLinkToken();
    for (let at = 0; at < token.length; at += 1) {
      const other = token.charAt(at) === "x" ? "y" : "x";
      expect(isLinkToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
    }
    for (const wrong of ["", token.slice(1), token.slice(0, -1), `${token}0`, `${token}\n`, ` ${token}`]) {
      expect(isLinkToken(wrong)).toBe(false);
    }
  });

  test("is found by a fingerprint that only the keyring can make", () => {
    const token = newLinkToken();
    const [one, other] = [newKeyring(), newKeyring()];
    expect(linkLookups(one, token)).toEqual([linkLookup(one, token)]);
    expect(linkLookup(one, token)).not.toEqual(linkLookup(other, token));
  });

  test("opens beside its own link only", () => {
    const keyring = newKeyring();
    const token = newLinkToken();
    const link = { id: "mgl_1", orgId: "org_1" };
    const sealed = sealLinkToken(keyring, token, link);
    expect(openLinkToken(keyring, sealed, link)).toBe(token);
    expect(() => openLinkToken(keyring, sealed, { ...link, id: "mgl_2" })).toThrow();
    expect(() => openLinkToken(keyring, sealed, { ...link, orgId: "org_2" })).toThrow();
  });
});
