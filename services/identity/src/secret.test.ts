import { newId } from "@assistant/kit/process/id.js";
import { describe, expect, test } from "@jest/globals";
import { keyIdOf, newSecret } from "./secret.js";

describe("the secret of a key", () => {
  test("names its key and is never the same", () => {
    const keyId = newId("key");
    const secrets = Array.from({ length: 100 }, () => newSecret(keyId));
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^asst_sk_key_[0-9a-z]{26}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
      expect(keyIdOf(secret)).toBe(keyId);
    }
  });

  test("with any character changed is nobody's", () => {
    const secret = newSecret(newId("key"));
    for (let at = 0; at < secret.length; at += 1) {
      const other = secret.charAt(at) === "1" ? "2" : "1";
      expect(keyIdOf(`${secret.slice(0, at)}${other}${secret.slice(at + 1)}`)).toBeUndefined();
    }
  });

  test.each([
    ["nothing", ""],
    ["a secret cut short", newSecret(newId("key")).slice(0, -1)],
    ["a secret with something behind it", `${newSecret(newId("key"))} `],
    ["a secret with a line break behind it", `${newSecret(newId("key"))}\n`],
    ["a secret of another kind of id", newSecret(newId("usr"))],
    ["something very long", "asst_sk_".repeat(100_000)],
  ])("%s is nobody's", (_, secret) => {
    expect(keyIdOf(secret)).toBeUndefined();
  });
});
