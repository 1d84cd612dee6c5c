import { type FileHandle, open, rm } from "node:fs/promises";
import type { Row } from "./row.js";

/**
 * Keeps the rows of tables that are read side by side, as nested ones are, until each is read on its own. On disk is what
 * exceeds a little memory.
 */
export interface RowSpool {
  append(table: number, row: Row): void;
  /** Waits until no more than a little is in memory. */
  relieve(): Promise<void>;
  /** All rows of a table, in order; once no more are appended. */
  rows(table: number): AsyncGenerator<readonly Row[]>;
  close(): Promise<void>;
}

export function rowSpool(path: string): RowSpool {
  const pending = new Map<number, string[]>();
  const extents = new Map<number, Extent[]>();
  let pendingCharacters = 0;
  let file: FileHandle | undefined;
  let end = 0;

  async function flush(table: number, lines: string[]): Promise<void> {
    file ??= await open(path, "wx+", 0o600);
    const bytes = Buffer.from(lines.join(""));
    await file.write(bytes, 0, null, end);
    const known = extents.get(table) ?? [];
    known.push({ offset: end, sizeBytes: bytes.length });
    extents.set(table, known);
    end += bytes.length;
  }

  return {
    append(table, row) {
      const line = `${JSON.stringify([row.texts, row.columns, row.headers])}\n`;
      pendingCharacters += line.length;
      const lines = pending.get(table);
      if (lines === undefined) pending.set(table, [line]);
      else lines.push(line);
    },
    async relieve() {
      if (pendingCharacters < PENDING_MAX) return;
      for (const [table, lines] of pending) await flush(table, lines);
      pending.clear();
      pendingCharacters = 0;
    },
    async *rows(table) {
      for (const { offset, sizeBytes } of extents.get(table) ?? []) {
        const read = await file?.read(Buffer.alloc(sizeBytes), 0, sizeBytes, offset);
        yield* batches(read?.buffer.toString().split("\n").slice(0, -1) ?? []);
      }
      yield* batches(pending.get(table) ?? []);
    },
    async close() {
      await file?.close();
      await rm(path, { force: true });
    },
  };
}

interface Extent {
  readonly offset: number;
  readonly sizeBytes: number;
}

const PENDING_MAX = 1024 * 1024;
const BATCH_ROWS = 200;

function* batches(lines: readonly string[]): Generator<readonly Row[]> {
  for (let at = 0; at < lines.length; at += BATCH_ROWS) {
    yield lines.slice(at, at + BATCH_ROWS).map(rowOf);
  }
}

function rowOf(line: string): Row {
  // What is read here was written above; what a row leaves out is null there.
  const [texts, columns, headers] = JSON.parse(line) as [Row["texts"], Row["columns"] | null, Row["headers"] | null];
  return { texts, ...(columns && { columns }), ...(headers && { headers }) };
}
