import { describe, expect, test } from "@jest/globals";
import { BUILT_IN_ICON } from "./built-in-icon.js";
import { cleanSvg, isTooComplex } from "./svg.js";

const clean = (text: string) => cleanSvg(Buffer.from(text));
/** What is left of these elements beside a shape. */
const inner = (elements: string) => {
  const cleaned = clean(`<svg xmlns="http://www.w3.org/2000/svg" ${NS}><path d="M0 0"/>${elements}</svg>`);
  expect(cleaned).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"><path d="M0 0" \/>.*<\/svg>$/s);
  return cleaned?.slice(OPENING.length, -"</svg>".length);
};
const NS = 'xmlns:xlink="http://www.w3.org/1999/xlink"';
const OPENING = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0" />';

/** Each a way to have a picture do something. */
const attacks: readonly (readonly [string, string])[] = [
  ["a script", "<script>alert(1)</script>"],
  ["a script that loads", '<script href="https://evil.example/x.js"/>'],
  ["a script in other letters", "<SCRIPT>alert(1)</SCRIPT>"],
  ["a script of another namespace", '<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>'],
  ["a script in CDATA", "<script><![CDATA[alert(1)]]></script>"],
  ["a script within another", "<scr<script>ipt>alert(1)</scr</script>ipt>"],
  ["a handler", '<path onload="alert(1)" d="M1 1"/>'],
  ["a handler in other letters", '<path ONLOAD="alert(1)" d="M1 1"/>'],
  ["a handler of animation", '<path onbegin="alert(1)" d="M1 1"/>'],
  ["foreign content", "<foreignObject><iframe src='javascript:alert(1)'/></foreignObject>"],
  ["a link", '<a href="javascript:alert(1)"><path d="M1 1"/></a>'],
  ["a link of old", '<a xlink:href="javascript:alert(1)"><path d="M1 1"/></a>'],
  ["a picture elsewhere", '<image href="https://evil.example/x.png"/>'],
  ["a picture within", '<image href="data:image/svg+xml;base64,PHN2Zy8+"/>'],
  ["a use of something elsewhere", '<use href="https://evil.example/x.svg#a"/>'],
  ["a use of something within", '<use href="data:image/svg+xml;base64,PHN2Zy8+#a"/>'],
  ["an animation of a link", '<animate attributeName="href" to="javascript:alert(1)"/>'],
  ["a set of a link", '<set attributeName="xlink:href" to="javascript:alert(1)"/>'],
  ["a style that loads", "<style>@import 'https://evil.example/x.css';</style>"],
  ["a style attribute that loads", '<path style="fill:url(https://evil.example/x)" d="M1 1"/>'],
  ["a paint elsewhere", '<path fill="url(https://evil.example/x#a)" d="M1 1"/>'],
  ["a paint elsewhere in quotes", `<path fill="url('https://evil.example/x#a')" d="M1 1"/>`],
  ["a paint elsewhere, escaped as CSS does", '<path fill="\\75rl(https://evil.example/x#a)" d="M1 1"/>'],
  ["a paint elsewhere, escaped as XML does", '<path fill="&#117;rl(https://evil.example/x#a)" d="M1 1"/>'],
  ["a paint after one of its own", '<path fill="url(#a) url(https://evil.example/x)" d="M1 1"/>'],
  ["a filter", '<filter id="f"><feImage href="https://evil.example/x"/></filter>'],
  ["a filter on a shape", '<path filter="url(https://evil.example/x#f)" d="M1 1"/>'],
  ["a mask", '<path mask="url(#m)" d="M1 1"/>'],
  ["a marker", '<path marker-end="url(https://evil.example/x#m)" d="M1 1"/>'],
  ["a cursor", '<path cursor="url(https://evil.example/x), auto" d="M1 1"/>'],
  ["a clip elsewhere", '<g clip-path="url(https://evil.example/x#c)"/>'],
  ["a gradient elsewhere", '<linearGradient href="https://evil.example/x#g"/>'],
  ["a gradient elsewhere of old", '<linearGradient xlink:href="https://evil.example/x#g"/>'],
  ["a base for addresses", '<g xml:base="https://evil.example/"/>'],
  ["a document of another kind", '<iframe xmlns="http://www.w3.org/1999/xhtml" src="https://evil.example"/>'],
  ["sound", '<audio xmlns="http://www.w3.org/1999/xhtml" src="https://evil.example" autoplay="1"/>'],
  ["an embedded thing", '<embed xmlns="http://www.w3.org/1999/xhtml" src="https://evil.example"/>'],
  ["a comment", "<!-- <script>alert(1)</script> -->"],
  ["an instruction", '<?xml-stylesheet href="https://evil.example/x.css"?>'],
  ["another namespace on a group", '<g xmlns="http://www.w3.org/1999/xhtml"/>'],
];

describe("an SVG", () => {
  test.each(attacks)("loses %s", (_name, elements) => {
    const left = inner(elements) ?? "";
    expect(left).not.toMatch(/evil|alert|javascript|script|data:|\son|xlink|xml:|xhtml|href|style|url|iframe|<!|<\?/i);
  });

  test("keeps its drawing", () => {
    const drawing =
      '<defs><linearGradient id="a" gradientUnits="userSpaceOnUse"><stop offset="0" stop-color="#fff" /></linearGradient>' +
      '<radialGradient id="b" href="#a"></radialGradient><clipPath id="c"><rect width="8" height="8" /></clipPath></defs>' +
      '<g clip-path="url(#c)" transform="translate(1, -2.5) rotate(45)"><circle cx="8" cy="8" r="4" fill="url(#a)" />' +
      '<path d="M0,0 L1e-3 2z" stroke="rgba(1, 2, 3, .5)" stroke-width="2" fill="none" /></g>' +
      '<title>Ä &amp; &lt;b&gt;</title><text x="1" y="2">T<tspan>u</tspan></text>';
    expect(inner(drawing)).toBe(drawing);
    expect(inner('<linearGradient xlink:href="#a"/>')).toBe('<linearGradient href="#a"></linearGradient>');
  });

  test("that is clean stays as it is", () => {
    const once = clean(BUILT_IN_ICON);
    expect(once).toBeDefined();
    expect(clean(once ?? "")).toBe(once);
    expect(once?.match(/<(path|rect|circle)/g)).toHaveLength(5);
  });

  test("may begin with a declaration and a document type, which go; entities mean nothing", () => {
    const head =
      '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">\n';
    expect(clean(`\ufeff${head}<svg><path d="M0 0"/></svg>`)).toBe(`${OPENING}</svg>`);
    const entity = '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
    expect(clean(`${entity}<svg><text>&x;</text></svg>`) ?? "").not.toMatch(/ENTITY|root:|passwd/);
  });

  test("does not grow: no entity, use, pattern, mask or nested clip multiplies what is there", () => {
    const lol = '<!DOCTYPE svg [<!ENTITY a "lollollol"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>';
    expect((clean(`${lol}<svg><text>&c;</text></svg>`) ?? "").length).toBeLessThan(100);
    const templates = '<pattern id="p"><path fill="url(#p)" d="M1 1"/></pattern><use href="#p"/><mask id="m"/>';
    expect(inner(templates)).toBe('<defs><path fill="url(#p)" d="M1 1" /></defs><defs></defs>');
    const clips = '<clipPath id="a"><rect clip-path="url(#b)" /></clipPath>';
    expect(inner(clips)).toBe('<clipPath id="a"><rect /></clipPath>');
    expect(inner('<clipPath id="a" clip-path="url(#b)"><rect /></clipPath>')).not.toContain("#b");
  });

  test("loses text around it", () => {
    expect(clean('before <svg><path d="M0 0"/></svg> after')).toBe(`${OPENING}</svg>`);
  });

  test("that draws nothing, is something else or is broken is none", () => {
    const none = [
      "<svg/>",
      "<svg></svg>",
      "<svg><script>alert(1)</script></svg>",
      "<html><body>Hello</body></html>",
      '<html><svg><path d="M0 0"/></svg></html>',
      "<path d='M0 0'/>",
      '<svg><path d="M0 0"/></svg><svg><path d="M0 0"/></svg>',
      '<svg><path d="M0 0"/></svg><script>alert(1)</script><svg/>',
      "<svg><path d='M\u0001'/></svg>",
      "<svg><text>&#1;</text></svg>",
      "<",
      "< svg",
      "",
    ];
    for (const text of none) expect({ text, left: clean(text) }).toEqual({ text, left: undefined });
    expect(cleanSvg(Buffer.from('<svg><path d="M0 0"/></svg>', "utf16le"))).toBeUndefined();
    expect(cleanSvg(Buffer.from('<svg><title>\xe4</title><path d="M0 0"/></svg>', "latin1"))).toBeUndefined();
  });

  test("of 256 KiB and 10,000 tags is judged within two seconds, however it is built", () => {
    const fill = (part: string) =>
      part.repeat(Math.floor(Math.min((256 * 1_024) / part.length, 9_900 / (part.split("<").length - 1))));
    const shapes = [
      "<g>",
      "<",
      "<g ",
      "<a>",
      '<path d="M0 0"/>',
      "</g>",
      "&amp;",
      "<!--",
      "<![CDATA[",
      '<g id="',
      "<g x=1 ",
    ];
    for (const part of shapes) {
      const startedMs = performance.now();
      clean(`<svg><path d="M0 0"/>${fill(part)}</svg>`);
      clean(`<svg><path fill="${fill(part)}" d="${fill("1 ")}"/></svg>`);
      expect({ part, ms: performance.now() - startedMs < 2_000 }).toEqual({ part, ms: true });
    }
  });

  test("of 10,000 tags is looked at, of more is not", () => {
    expect(isTooComplex(Buffer.from("<".repeat(10_000)))).toBe(false);
    expect(isTooComplex(Buffer.from("<".repeat(10_001)))).toBe(true);
  });

  test("keeps what is in a wrapper that goes, and nests 40 deep at most", () => {
    expect(inner('<switch><a href="x"><circle r="1"/></a></switch>')).toBe('<circle r="1" />');
    const deep = (depth: number) => `${"<g>".repeat(depth)}<circle r="1"/>${"</g>".repeat(depth)}`;
    expect(inner(deep(38))).toContain("circle");
    expect(inner(deep(39))).not.toContain("circle");
  });
});
