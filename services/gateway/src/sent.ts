import { type Node, parseTree } from "jsonc-parser";
import type { SentNames } from "./place.js";

/** What a parsed body no longer tells: how a number was written and in which order names were sent. */
export interface Sent {
  readonly names: SentNames;
  numberText(path: readonly string[]): string | undefined;
}

/** Reads the text once more, at the first question; only failures ask. */
export function createSent(text: string): Sent {
  let tree: Node | undefined;
  const find = (path: readonly string[]) => {
    tree ??= parseTree(text);
    return path.reduce<Node | undefined>(child, tree);
  };
  return {
    names: (path) => {
      const names = (find(path)?.children ?? []).map((property) => String(property.children?.[0]?.value));
      return [...new Set(names)];
    },
    numberText: (path) => {
      const node = find(path);
      return node?.type === "number" ? text.slice(node.offset, node.offset + node.length) : undefined;
    },
  };
}

/** The same of a query, whose values are texts and lists of texts. */
export function createSentQuery(text: string): Sent {
  return {
    names: (path) => (path.length === 0 ? [...new Set(new URLSearchParams(text).keys())] : undefined),
    numberText: () => undefined,
  };
}

function child(node: Node | undefined, name: string): Node | undefined {
  if (node?.type === "array") return node.children?.[Number(name)];
  // Of a name that was sent twice the last one counts.
  const property = node?.children?.findLast((candidate) => candidate.children?.[0]?.value === name);
  return property?.children?.[1];
}
