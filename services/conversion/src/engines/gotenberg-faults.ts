import { open } from "node:fs/promises";
import { Fault, unavailable } from "@assistant/kit/wire/fault.js";
import { corrupt, tooLarge } from "../faults.js";

/** What an answer that is no file means. Its text goes to the log only: it is another program's. */
export async function faultOfAnswer(answer: Response, sizeBytes: number): Promise<Fault> {
  const text = (await answer.text()).slice(0, TEXT_MAX);
  const cause = new Error(`Gotenberg answered ${answer.status}: ${text}`);
  switch (answer.status) {
    case 400:
      // The fields are ours and always the same, so what is wrong is the file.
      return new Fault("invalid", "Gotenberg refuses the file", { cause, violations: corrupt().violations });
    case 413:
      // How many bytes it takes it does not say; fewer than these.
      return tooLarge(sizeBytes - 1);
    case 429:
    case 503:
      return unavailable("Gotenberg is busy", cause, retryAfterOf(answer));
    default:
      return answer.status >= 500
        ? unavailable("Gotenberg fails", cause, RETRY_AFTER_S)
        : new Fault("upstream", "Gotenberg does not answer as documented", { cause });
  }
}

/** That no whole answer came. */
export function unreachable(cause: unknown): Fault {
  return unavailable("Gotenberg cannot be reached", cause, RETRY_AFTER_S);
}

/** Throws `upstream` unless the file begins as every PDF does. */
export async function refuseUnlessPdf(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    if (buffer.toString("latin1", 0, bytesRead) !== MAGIC) {
      throw new Fault("upstream", "Gotenberg answered with something that is no PDF");
    }
  } finally {
    await file.close();
  }
}

const MAGIC = "%PDF-";
const TEXT_MAX = 500;
const RETRY_AFTER_S = 2;
const RETRY_AFTER_MAX_S = 60;

function retryAfterOf(answer: Response): number {
  const seconds = Number(answer.headers.get("retry-after"));
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, RETRY_AFTER_MAX_S) : RETRY_AFTER_S;
}
