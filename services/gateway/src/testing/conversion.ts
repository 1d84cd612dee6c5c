import { violation } from "@assistant/kit/rules/violation.js";
import type { Call } from "@assistant/kit/wire/call.js";
import { type Fault, invalid } from "@assistant/kit/wire/fault.js";
import type {
  ConvertToPdfRequest,
  ConvertToPdfResponse,
} from "@assistant/proto/assistant/conversion/v1/conversions.js";
import type { TestGatewayOptions } from "./gateway.js";

type Response = ConvertToPdfResponse;

/** A conversion service over real gRPC that turns a file into itself, and does what the file's name asks for. */
export interface TestConversion {
  readonly handlers: NonNullable<TestGatewayOptions["conversion"]>;
  /** Every call that has begun, in their order. */
  readonly calls: SeenCall[];
}

export interface SeenCall {
  readonly call: Call;
  readonly names: string[];
  /** Sizes of the chunks that were read. */
  readonly chunks: number[];
  /** All requests were read to their end. */
  isWhole: boolean;
  /** The handler has been left, however it was. */
  isOver: boolean;
}

/** What happens to a file of a name, at its head and once it is whole. */
export interface Act {
  begin?(seen: SeenCall): Promise<void>;
  each?(seen: SeenCall): Promise<void>;
  end?(seen: SeenCall): AsyncIterable<Response>;
}

export function createTestConversion(acts: Readonly<Record<string, Act>> = {}): TestConversion {
  const calls: SeenCall[] = [];
  async function* convert(requests: AsyncIterable<ConvertToPdfRequest>, call: Call): AsyncGenerator<Response> {
    const seen: SeenCall = { call, names: [], chunks: [], isWhole: false, isOver: false };
    calls.push(seen);
    try {
      const kept: Buffer[] = [];
      let act: Act = {};
      for await (const { part } of requests) {
        if (part?.$case === "head") act = await begin(seen, part.value.name, acts);
        else if (part !== undefined) await note(seen, part.value, kept, act);
      }
      seen.isWhole = true;
      yield* act.end?.(seen) ?? answerFile(kept);
    } finally {
      seen.isOver = true;
    }
  }
  return { handlers: { convertToPdf: convert, convertToXlsx: convert }, calls };
}

async function begin(seen: SeenCall, name: string, acts: Readonly<Record<string, Act>>): Promise<Act> {
  seen.names.push(name);
  const act = acts[name] ?? {};
  await act.begin?.(seen);
  return act;
}

async function note(seen: SeenCall, chunk: Buffer, kept: Buffer[], act: Act): Promise<void> {
  seen.chunks.push(chunk.length);
  if (seen.chunks.length <= KEPT_CHUNKS_MAX) kept.push(chunk);
  await act.each?.(seen);
}

/** A file as the service answers it. */
export async function* answerFile(chunks: readonly Buffer[], sizeBytes = sizeOf(chunks)): AsyncGenerator<Response> {
  const timings = [
    { step: "queue", duration_ms: 0.125 },
    { step: "load", duration_ms: 20 },
  ];
  const head = { name: NAME, media_type: "application/pdf", etag: "tag1", size_bytes: sizeBytes, timings };
  yield { part: { $case: "head", value: head } };
  for (const value of chunks) yield { part: { $case: "chunk", value } };
}

/** Fails once the file is whole. */
export function failing(fault: () => Fault): Act {
  return {
    async *end() {
      yield* [];
      throw fault();
    },
  };
}

export function corruptFault(): Fault {
  return invalid(violation(["file"], "file_corrupt", "The file is damaged or not what its name says"));
}

export const NAME = 'größe "1" 漢.pdf';
const KEPT_CHUNKS_MAX = 16;

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
