/** Files that have brought an office down, known by their SHA-256, so that one file cannot eat the whole pool. */
export interface RefusedFiles {
  add(sha256: string): void;
  has(sha256: string): boolean;
}

/** `nowMs` is a clock that only goes forward. */
export function createRefusedFiles(nowMs: () => number): RefusedFiles {
  const untilMs = new Map<string, number>();
  return {
    add(sha256) {
      untilMs.delete(sha256);
      untilMs.set(sha256, nowMs() + REFUSED_FOR_MS);
      const oldest = untilMs.keys().next().value;
      if (untilMs.size > MOST_FILES && oldest !== undefined) {
        untilMs.delete(oldest);
      }
    },
    has(sha256) {
      const endMs = untilMs.get(sha256);
      if (endMs !== undefined && endMs <= nowMs()) {
        untilMs.delete(sha256);
        return false;
      }
      return endMs !== undefined;
    },
  };
}

const REFUSED_FOR_MS = 600_000;
const MOST_FILES = 10_000;
