import { Fault, type FaultKind, late } from "@assistant/kit/wire/fault.js";
import { type Download, startTransfer, type Transfer, type TransferOptions } from "./transfer.js";

/** The file of a form on its way to the service: of several the last one sent. */
export interface Sending {
  start(file: Pick<TransferOptions, "name" | "bytes">): void;
  /** Gives up what is on its way. */
  drop(): void;
  /** Rejects with what ends a request wherever its body is. */
  readonly brokenOff: Promise<never>;
  /** What comes back; throws the Fault late where it has not begun after that time. */
  download(timeMs: number): Promise<Download>;
}

export type SendingOptions = Omit<TransferOptions, "name" | "bytes">;

export function createSending(options: SendingOptions): Sending {
  let current: Transfer | undefined;
  let breakOff: (error: unknown) => void = () => undefined;
  const brokenOff = new Promise<never>((_, reject) => {
    breakOff = reject;
  });
  // Nobody may be waiting when it happens.
  brokenOff.catch(() => undefined);
  const drop = () => {
    current?.cancel();
    current = undefined;
  };
  return {
    brokenOff,
    drop,
    start(file) {
      drop();
      const transfer = startTransfer({ ...options, ...file });
      current = transfer;
      transfer.download.catch((error) => {
        // What is no Fault comes of the body, whose reader tells of it.
        if (current === transfer && error instanceof Fault && ENDS_AT_ONCE.has(error.kind)) breakOff(error);
      });
    },
    async download(timeMs) {
      const transfer = current;
      if (transfer === undefined) throw new Error("no file was sent");
      const timer = setTimeout(() => transfer.cancel(late()), timeMs);
      try {
        return await transfer.download;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** What comes before anything that could be wrong with the rest of a body, or has nothing to do with it. */
const ENDS_AT_ONCE: ReadonlySet<FaultKind> = new Set([
  "unauthenticated",
  "exhausted",
  "large",
  "unavailable",
  "late",
  "upstream",
  "internal",
]);
