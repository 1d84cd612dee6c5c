import { describe, expect, test } from "@jest/globals";
import { hmac, hmacs, openKeyring, seal, unseal } from "./seal.js";

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const ring = (active: string, keys: Readonly<Record<string, string>>) => openKeyring(JSON.stringify({ active, keys }));

const ONE = ring("k1", { k1: key(1) });
const ROTATED = ring("k2", { k1: key(1), k2: key(2) });
const CONTEXT = ["signing_keys", "row", "org", "secret"];

describe("sealing", () => {
  test.each(["", "secret", "ü🙂", "x".repeat(100_000)])("what is sealed opens again", (text) => {
    expect(unseal(ONE, seal(ONE, text, CONTEXT), CONTEXT).toString()).toBe(text);
  });

  test("bytes open as bytes", () => {
    const bytes = Uint8Array.of(0, 255, 128);
    expect([...unseal(ONE, new Uint8Array(seal(ONE, bytes, CONTEXT)), CONTEXT)]).toEqual([0, 255, 128]);
  });

  test("the same text is never sealed the same twice", () => {
    expect(seal(ONE, "a", CONTEXT).equals(seal(ONE, "a", CONTEXT))).toBe(false);
  });

  test("in another context it does not open, however the parts are cut", () => {
    const sealed = seal(ONE, "secret", ["a", "bc"]);
    for (const context of [["ab", "c"], ["a", "bc", ""], ["a"], []]) {
      expect(() => unseal(ONE, sealed, context)).toThrow("belongs elsewhere");
    }
  });

  test("with any bit changed or any byte missing it does not open", () => {
    const sealed = seal(ONE, "secret", CONTEXT);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(sealed.readUInt8(at) ^ 1, at);
      expect(() => unseal(ONE, changed, CONTEXT)).toThrow(/seal/);
      expect(() => unseal(ONE, sealed.subarray(0, at), CONTEXT)).toThrow(/seal/);
    }
  });

  test("after a rotation old values open and new ones use the new key; without the key nothing opens", () => {
    const old = seal(ONE, "secret", CONTEXT);
    expect(unseal(ROTATED, old, CONTEXT).toString()).toBe("secret");
    expect(() => unseal(ONE, seal(ROTATED, "secret", CONTEXT), CONTEXT)).toThrow("not in the keyring");
    expect(() => unseal(ring("k1", { k1: key(3) }), old, CONTEXT)).toThrow("does not open");
  });
});

describe("fingerprints", () => {
  test("are the same for the same secret and purpose, and for nothing else", () => {
    expect(hmac(ONE, "secret", "keys")).toEqual(hmac(ONE, Buffer.from("secret"), "keys"));
    expect(hmac(ONE, "secret", "keys")).not.toEqual(hmac(ONE, "secret", "links"));
    expect(hmac(ONE, "secret", "keys")).not.toEqual(hmac(ONE, "secret2", "keys"));
    expect(hmac(ONE, "secret", "keys")).not.toEqual(hmac(ROTATED, "secret", "keys"));
  });

  test("under all keys find what was stored before a rotation, the active key first", () => {
    expect(hmacs(ROTATED, "secret", "keys")).toEqual([hmac(ROTATED, "secret", "keys"), hmac(ONE, "secret", "keys")]);
  });
});

test.each([
  "",
  "[]",
  "null",
  "{",
  JSON.stringify({ active: "k1" }),
  JSON.stringify({ active: "k1", keys: [] }),
  JSON.stringify({ active: "k2", keys: { k1: key(1) } }),
  JSON.stringify({ active: "k1", keys: { k1: Buffer.alloc(16).toString("base64") } }),
  JSON.stringify({ active: "k1", keys: { k1: 5 } }),
  JSON.stringify({ active: "k 1", keys: { "k 1": key(1) } }),
])("a keyring of another form is refused without showing it: %s", (json) => {
  expect(() => openKeyring(json)).toThrow(/key/);
  expect(() => openKeyring(json)).not.toThrow(/AQEB|AAAA/);
});
