import { DOMParser } from "@xmldom/xmldom";
import sanitize from "sanitize-html";

/**
 * The drawing in an SVG: elements that draw, with attributes that say how, and nothing that runs, loads, animates or
 * grows. Undefined: the bytes hold none.
 */
export function cleanSvg(bytes: Buffer): string | undefined {
  const text = decode(bytes);
  if (text === undefined || CONTROL.test(text)) {
    return undefined;
  }
  let root: string | undefined;
  const onOpenTag = (name: string) => {
    root ??= name;
  };
  const drawing = sanitize(text, { ...POLICY, onOpenTag }).trim();
  return root === "svg" && isDrawing(drawing) ? drawing : undefined;
}

/** Whether there are more tags than a drawing of this size needs: judging them takes more time the deeper they nest. */
export function isTooComplex(bytes: Buffer): boolean {
  let count = 0;
  for (const byte of bytes) {
    count += byte === OPENING ? 1 : 0;
  }
  return count > TAGS_MAX;
}

const OPENING = "<".charCodeAt(0);
/** How many tags an SVG has at most. */
export const TAGS_MAX = 10_000;

const SVG = "http://www.w3.org/2000/svg";
const NESTING_MAX = 40;

// No control characters but tab and line ends: hardly any may stand in XML, also where a reference writes it.
const CONTROL = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/u;

const SHAPES = ["path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text"];
// Not here: what runs (script, handler), leads or loads (a, image, use, foreignObject, style), moves (animate, set), or
// multiplies itself from a few bytes (use and those below).
const ELEMENTS = [
  ...SHAPES,
  "svg",
  "g",
  "defs",
  "title",
  "desc",
  "tspan",
  "clipPath",
  "linearGradient",
  "radialGradient",
  "stop",
];

const PLAIN = /^[\w\s.,#%+-]*$/;
const TRANSFORM = /^[\w\s.,()+-]*$/;
const NAME = /^[\w.-]+$/;
const OWN_PART = /^#[\w.-]+$/;
const PAINT = /^(?:#?\w+|(?:rgb|hsl)a?\([\d\s.,%/+-]*\)|url\(#[\w.-]+\)(?: (?:#?\w+))?)$/;
const OWN_CLIP = /^url\(#[\w.-]+\)$/;

/** What the value of each attribute looks like that may stay. */
const ATTRIBUTES: ReadonlyMap<string, RegExp> = new Map([
  ["xmlns", /^http:\/\/www\.w3\.org\/2000\/svg$/],
  ["id", NAME],
  ["href", OWN_PART],
  ...["fill", "stroke", "color", "stop-color"].map((name) => [name, PAINT] as const),
  ["clip-path", OWN_CLIP],
  ...["transform", "gradientTransform"].map((name) => [name, TRANSFORM] as const),
  ...(
    "viewBox width height x y x1 y1 x2 y2 cx cy r rx ry fx fy d points offset preserveAspectRatio opacity " +
    "fill-opacity fill-rule clip-rule clipPathUnits gradientUnits spreadMethod stop-opacity stroke-width " +
    "stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset " +
    "font-size font-weight font-family text-anchor dominant-baseline dx dy shape-rendering vector-effect"
  )
    .split(" ")
    .map((name) => [name, PLAIN] as const),
]);

const POLICY: sanitize.IOptions = {
  allowedTags: ELEMENTS,
  allowedAttributes: { "*": [...ATTRIBUTES.keys()] },
  // With its text: that of a script is no text of the drawing. Elements in it are judged for themselves.
  disallowedTagsMode: "completelyDiscard",
  nestingLimit: NESTING_MAX,
  selfClosing: ["path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "stop"],
  parser: { xmlMode: true, decodeEntities: true, lowerCaseTags: false, lowerCaseAttributeNames: false },
  transformTags: { "*": keptElement },
};

// Shapes in these are not drawn where they stand: they stay out of sight.
const TEMPLATES = new Set(["pattern", "mask", "marker", "symbol", "filter"]);

function keptElement(element: string, attributes: sanitize.Attributes): sanitize.Tag {
  return TEMPLATES.has(element)
    ? { tagName: "defs", attribs: {} }
    : { tagName: element, attribs: keptAttributes(element, attributes) };
}

function keptAttributes(element: string, attributes: sanitize.Attributes): sanitize.Attributes {
  const renamed = Object.entries(attributes).map(
    ([name, value]) => [name === "xlink:href" ? "href" : name, value] as const,
  );
  const kept = renamed.filter(([name, value]) => mayHave(element, name) && ATTRIBUTES.get(name)?.test(value) === true);
  return { ...(element === "svg" ? { xmlns: SVG } : {}), ...Object.fromEntries(kept) };
}

function mayHave(element: string, attribute: string): boolean {
  switch (attribute) {
    case "href":
      return element === "linearGradient" || element === "radialGradient";
    case "clip-path":
      // Not on what clips: clips of clips would grow without end.
      return element === "g" || element === "svg";
    case "xmlns":
      return element === "svg";
    default:
      return true;
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Bytes in another encoding are no text that could be judged.
    return undefined;
  }
}

/** What is left is one svg element that draws something, also to a second parser. */
function isDrawing(drawing: string): boolean {
  if (CONTROL.test(drawing) || !drawing.startsWith("<svg") || !drawing.endsWith("</svg>")) {
    return false;
  }
  const root = parse(drawing)?.documentElement;
  return root?.namespaceURI === SVG && SHAPES.some((name) => root.getElementsByTagName(name).length > 0);
}

function parse(drawing: string): Document | undefined {
  const refuse = (message: string): never => {
    throw new Error(message);
  };
  try {
    return new DOMParser({ errorHandler: { warning: refuse, error: refuse, fatalError: refuse } }).parseFromString(
      drawing,
      "image/svg+xml",
    );
  } catch {
    // Not well-formed: whatever it is, no browser would show it.
    return undefined;
  }
}
