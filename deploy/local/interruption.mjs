/**
 * The end as the operator asks for it: the first signal aborts, the next one, meant as such, is for the impatient.
 *
 * @param {{ log: (line: string) => void, force: () => void }} options
 * @returns {AbortSignal}
 */
export function interruption({ log, force }) {
  const stopping = new AbortController();
  let firstAtMs = 0;
  const interrupt = () => {
    if (!stopping.signal.aborted) {
      firstAtMs = Date.now();
      log("Stopping ... (once more: stop at once)");
      stopping.abort();
      return;
    }
    if (Date.now() - firstAtMs > REPEAT_MS) force();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, interrupt);
  return stopping.signal;
}

// npm passes on the signal that the terminal has sent already: one Ctrl-C arrives twice.
const REPEAT_MS = 500;
