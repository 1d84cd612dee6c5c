/** What waits, in one line for each caller: the callers take turns. */
export interface FairQueue<Item> {
  readonly size: number;
  /** To the end of its caller's line. */
  add(callerId: string, item: Item): void;
  /** To the head of everything, for what has waited before. */
  addFirst(callerId: string, item: Item): void;
  /** Whether it was waiting. */
  remove(item: Item): boolean;
  /** The first item that may be taken of the next caller who has one; it is no longer waiting. */
  take(mayBeTaken: (item: Item) => boolean): Item | undefined;
}

export function createFairQueue<Item>(): FairQueue<Item> {
  // The order of the map is the order of the turns: whoever had one goes to the end.
  let lines = new Map<string, Item[]>();

  return {
    get size() {
      return [...lines.values()].reduce((sum, line) => sum + line.length, 0);
    },
    add(callerId, item) {
      lines.set(callerId, [...(lines.get(callerId) ?? []), item]);
    },
    addFirst(callerId, item) {
      const line = [item, ...(lines.get(callerId) ?? [])];
      lines.delete(callerId);
      lines = new Map([[callerId, line], ...lines]);
    },
    remove(item) {
      for (const [callerId, line] of lines) {
        if (line.includes(item)) {
          keep(lines, callerId, without(line, item));
          return true;
        }
      }
      return false;
    },
    take(mayBeTaken) {
      for (const [callerId, line] of lines) {
        const item = line.find(mayBeTaken);
        if (item !== undefined) {
          lines.delete(callerId);
          keep(lines, callerId, without(line, item));
          return item;
        }
      }
      return undefined;
    },
  };
}

function without<Item>(line: readonly Item[], item: Item): Item[] {
  return line.filter((other) => other !== item);
}

function keep<Item>(lines: Map<string, Item[]>, callerId: string, line: Item[]): void {
  if (line.length === 0) {
    lines.delete(callerId);
  } else {
    lines.set(callerId, line);
  }
}
