import { describe, expect, test } from "@jest/globals";
import { Fault } from "../wire/fault.js";
import { createPager } from "./page.js";
import { openKeyring } from "./seal.js";

const keyring = (byte: number) =>
  openKeyring(JSON.stringify({ active: "k1", keys: { k1: Buffer.alloc(32, byte).toString("base64") } }));

const ABOUT = ["contexts", "org_1", "usr_1", "category=cat_1"];

describe("a page token", () => {
  test("gives back the position that it was made of", () => {
    const pager = createPager(keyring(1));
    const position = [7, "ctx_1", 1.5, "ü"];
    const token = pager.seal(position, ABOUT);
    expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(pager.open(token, ABOUT)).toEqual(position);
  });

  test("shows nothing of the position", () => {
    const token = createPager(keyring(1)).seal(["secret title"], ABOUT);
    expect(Buffer.from(token, "base64url").toString("latin1")).not.toContain("secret");
  });

  test("is good for six hours", () => {
    let nowMs = Date.now();
    const pager = createPager(keyring(1), () => nowMs);
    const token = pager.seal([1], ABOUT);
    nowMs += 6 * 3_600_000;
    expect(pager.open(token, ABOUT)).toEqual([1]);
    nowMs += 1;
    expect(typeOf(() => pager.open(token, ABOUT))).toBe("page_token_expired: Page token expired");
  });

  test("is unknown to another list, filter, reader or deployment", () => {
    const pager = createPager(keyring(1));
    const token = pager.seal([1], ABOUT);
    expect(typeOf(() => pager.open(token, ["contexts", "org_2"]))).toBe(UNKNOWN);
    expect(typeOf(() => pager.open(token, [...ABOUT, ""]))).toBe(UNKNOWN);
    expect(typeOf(() => createPager(keyring(2)).open(token, ABOUT))).toBe(UNKNOWN);
  });

  test("changed, cut, prolonged or made up it is unknown", () => {
    const pager = createPager(keyring(1));
    const token = pager.seal([1], ABOUT);
    const spellings = [
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      ` ${token}`,
      `B${token.slice(1)}`,
      "",
      "0",
      "x".repeat(4_096),
      "\0",
      "🙂",
    ];
    for (const spelling of spellings) {
      expect(typeOf(() => pager.open(spelling, ABOUT))).toBe(UNKNOWN);
    }
  });
});

const UNKNOWN = "page_token_invalid: Unknown page token";

function typeOf(open: () => unknown): string | undefined {
  try {
    open();
    return undefined;
  } catch (error) {
    const [violation] = error instanceof Fault ? error.violations : [];
    return `${violation?.type}: ${violation?.message}`;
  }
}
