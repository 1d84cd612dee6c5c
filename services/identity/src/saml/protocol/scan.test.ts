import { describe, expect, test } from "@jest/globals";
import { MESSAGE_MAX_CHARS, openEnvelope } from "./envelope.js";
import { scan, withoutComments } from "./scan.js";

describe("XML passes", () => {
  test.each([
    ["as one element", "<a/>"],
    ["with 40 levels", `${"<a>".repeat(40)}${"</a>".repeat(40)}`],
    ["with 12,000 tags", `<a>${`<a>${"<a/>".repeat(1_999)}</a>`.repeat(5)}${"<a/>".repeat(1_999)}</a>`],
    ["with 2,500 elements in one", `<a>${"<a/>".repeat(2_500)}</a>`],
    ["with 64 attributes", `<a${Array.from({ length: 64 }, (_, index) => ` a${index}=""`).join("")}/>`],
    ["with either quotes", `<a b='"' c="'"/>`],
    ["with brackets in text and attributes", '<a b="x>y">x>y</a>'],
    ["with the five known entities", "<a>&amp;&lt;&gt;&quot;&apos;</a>"],
    ["with characters by number", "<a>&#9;&#xE4;&#128512;</a>"],
    ["with blanks where they may be", "\n<a\n b = ''\t></a >\r\n"],
    ["with the highest plane", "<a>😀</a>"],
  ])("%s", (_name, text) => {
    expect(() => scan(text)).not.toThrow();
  });
});

describe("the time to look through a text", () => {
  test.each([
    ["blanks", `<a${" ".repeat(1_000_000)}`],
    ["attributes", `<a${' b=""'.repeat(200_000)}!`],
    ["a name", `<${"a".repeat(1_000_000)}!`],
    ["a prefix", `<a ${"a:".repeat(500_000)}="">`],
    ["equal signs", `<a b${"= ".repeat(500_000)}`],
    ["references", `<a>${"&#1".repeat(300_000)}`],
    ["comments", `${"<!--".repeat(300_000)}`],
  ])("does not grow faster than the text: %s", (_name, text) => {
    const startedMs = performance.now();
    expect(() => scan(text)).toThrow("refused");
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});

test("comments are taken out in a time that does not grow faster than the text", () => {
  const startedMs = performance.now();
  expect(() => scan(withoutComments("<!--".repeat(300_000)))).toThrow("markup_forbidden");
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});

test("comments are taken out where nothing is signed, and what is left open is no comment", () => {
  expect(withoutComments("<a><!-- b --><c/><!-- d\n -->e</a>")).toBe("<a><c/>e</a>");
  expect(() => scan(withoutComments("<a><!-- </a>"))).toThrow("markup_forbidden");
});

test("an encoded message is read up to 256 KiB", () => {
  expect(openEnvelope("QUFB".repeat(MESSAGE_MAX_CHARS / 4))).toHaveLength((MESSAGE_MAX_CHARS / 4) * 3);
  expect(() => openEnvelope("QUFB".repeat(MESSAGE_MAX_CHARS / 4 + 1))).toThrow("too_large");
});
