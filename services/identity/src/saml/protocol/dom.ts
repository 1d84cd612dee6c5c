import { DOMParser } from "@xmldom/xmldom";
import { type RefusalCode, refuse } from "./refusal.js";
import { scan } from "./scan.js";

/**
 * Reads XML with the parser that the signature library uses: what two parsers read differently could be signed in one
 * reading and acted on in the other.
 */
export function readXml(text: string): Element {
  scan(text);
  const strict = (message: string) => {
    throw new Error(message);
  };
  const errorHandler = { warning: strict, error: strict, fatalError: strict };
  let root: Element | null;
  try {
    root = new DOMParser({ locator: {}, errorHandler }).parseFromString(text, "text/xml").documentElement;
  } catch {
    return refuse("not_well_formed");
  }
  return root ?? refuse("not_well_formed");
}

export function isNamed(element: Element, namespace: string, name: string): boolean {
  return element.namespaceURI === namespace && element.localName === name;
}

export function childrenOf(element: Element): Element[] {
  const children: Element[] = [];
  for (let node = element.firstChild; node !== null; node = node.nextSibling) {
    if (isElement(node)) {
      children.push(node);
    }
  }
  return children;
}

/** The children of that name. */
export function manyOf(parent: Element, namespace: string, name: string): Element[] {
  return childrenOf(parent).filter((child) => isNamed(child, namespace, name));
}

/** The only child of that name. */
export function oneOf(parent: Element, namespace: string, name: string, code: RefusalCode): Element {
  return optionalOf(parent, namespace, name, code) ?? refuse(code);
}

/** The only child of that name, if there is one. */
export function optionalOf(parent: Element, namespace: string, name: string, code: RefusalCode): Element | undefined {
  const [first, second] = manyOf(parent, namespace, name);
  return second === undefined ? first : refuse(code);
}

/** The element and all in it, in document order. */
export function allOf(root: Element): Element[] {
  const found: Element[] = [];
  const ahead = [root];
  for (let element = ahead.pop(); element !== undefined; element = ahead.pop()) {
    found.push(element);
    ahead.push(...childrenOf(element).reverse());
  }
  return found;
}

/** The text of an element that holds nothing else, without blanks around it. */
export function textOf(element: Element, code: RefusalCode): string {
  return childrenOf(element).length === 0 ? trimmed(element.textContent ?? "") : refuse(code);
}

/** A text without what XML takes for blanks around it. Others belong to it: a name with one is another's name. */
export function trimmed(text: string): string {
  return text.replace(/^[ \t\r\n]+/, "").replace(/(?<![ \t\r\n])[ \t\r\n]+$/, "");
}

/** The value of an attribute without namespace; an empty one counts. */
export function attributeOf(element: Element, name: string): string | undefined {
  return element.getAttributeNode(name)?.value;
}

/** Whether the elements have just these names, in this order. */
export function areNamed(elements: readonly Element[], namespace: string, names: readonly string[]): boolean {
  return (
    elements.length === names.length &&
    elements.every((element, index) => isNamed(element, namespace, names[index] ?? ""))
  );
}

function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}
