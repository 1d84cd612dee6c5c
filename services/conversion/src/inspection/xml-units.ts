/**
 * A function that takes the pieces of an XML document in turn and gives them with one byte for each unit: the character
 * itself where it can be markup, some other byte for the rest. It leaves UTF-8 as it is, and drops byte order marks.
 */
export function markupOf(): (piece: Buffer) => Buffer {
  let step: ((piece: Buffer) => Buffer) | undefined;
  let head = Buffer.alloc(0);
  return (piece) => {
    if (step !== undefined) return step(piece);
    head = Buffer.concat([head, piece]);
    if (head.length < 4) return Buffer.alloc(0);
    const { highFirst, markBytes } = unitsOf(head);
    step = highFirst === undefined ? (bytes) => bytes : narrowed(highFirst);
    return step(head.subarray(markBytes));
  };
}

const OTHER = 0x7f;

/** Whether the units are two bytes and which comes first; undefined: they are one. */
function unitsOf(head: Buffer): { highFirst: boolean | undefined; markBytes: number } {
  const [first, second, third] = head;
  if (first === 0xfe && second === 0xff) return { highFirst: true, markBytes: 2 };
  if (first === 0xff && second === 0xfe) return { highFirst: false, markBytes: 2 };
  if (first === 0xef && second === 0xbb && third === 0xbf) return { highFirst: undefined, markBytes: 3 };
  if (first === 0 && second === 0x3c) return { highFirst: true, markBytes: 0 };
  if (first === 0x3c && second === 0) return { highFirst: false, markBytes: 0 };
  return { highFirst: undefined, markBytes: 0 };
}

function narrowed(highFirst: boolean): (piece: Buffer) => Buffer {
  let odd: number | undefined;
  return (piece) => {
    const bytes = odd === undefined ? piece : Buffer.concat([Buffer.of(odd), piece]);
    const count = bytes.length >> 1;
    odd = bytes.length % 2 === 1 ? bytes[bytes.length - 1] : undefined;
    const narrow = Buffer.allocUnsafe(count);
    for (let at = 0; at < count; at += 1) {
      const high = bytes[2 * at + (highFirst ? 0 : 1)];
      narrow[at] = high === 0 ? (bytes[2 * at + (highFirst ? 1 : 0)] ?? OTHER) : OTHER;
    }
    return narrow;
  };
}
