/** Counts the delimiters of a multipart body while it flows by: one before each part, and one that closes it. */
export interface DelimiterCount {
  see(chunk: Buffer): void;
  count(): number;
}

export function createDelimiterCount(boundary: string): DelimiterCount {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first may stand at the very beginning, without the line end that belongs to all others.
  let tail = Buffer.from("\r\n");
  let found = 0;
  return {
    count: () => found,
    see: (chunk) => {
      // One may begin in one chunk and end in the next; what is kept is too short to hold a whole one.
      const border = Buffer.concat([tail, chunk.subarray(0, delimiter.length - 1)]);
      found += occurrences(border, delimiter) + occurrences(chunk, delimiter);
      const kept = chunk.length < delimiter.length ? Buffer.concat([tail, chunk]) : chunk;
      tail = Buffer.from(kept.subarray(Math.max(0, kept.length - delimiter.length + 1)));
    },
  };
}

function occurrences(bytes: Buffer, delimiter: Buffer): number {
  let found = 0;
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + delimiter.length)) found += 1;
  return found;
}
