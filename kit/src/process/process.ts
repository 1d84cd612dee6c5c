import type { Log } from "./log.js";

/** Runs the start of a process; where it fails, says why in one piece and ends the process. */
export async function orExit(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Longer than any drain takes and shorter than the 30 s after which Kubernetes kills. */
const STOP_LIMIT_MS = 25_000;

/**
 * Ends this process in order: on SIGTERM, SIGINT, or when the parent that started it over an IPC channel is gone,
 * `stop` runs once and the process exits. A bug that nobody caught ends it at once, since its state is unknown then.
 */
export function onStop(log: Log, stop: () => Promise<void>): void {
  let isStopping = false;
  const begin = (reason: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ reason }, "stopping");
    giveUpLater(log);
    stop().then(
      () => process.exit(0),
      (error: unknown) => fail(log, error, "stopping failed"),
    );
  };
  process.on("SIGTERM", () => begin("SIGTERM"));
  process.on("SIGINT", () => begin("SIGINT"));
  process.on("disconnect", () => begin("the parent is gone"));
  // It may have died while this process was loading, before anybody listened.
  if (process.send !== undefined && !process.connected) begin("the parent is gone");
  // Rejections that nobody handles arrive here too, as long as nothing listens to `unhandledRejection`.
  process.on("uncaughtException", (error) => fail(log, error, "uncaught"));
}

function giveUpLater(log: Log): void {
  const giveUp = () => fail(log, new Error(`not stopped within ${STOP_LIMIT_MS} ms`), "stopping failed");
  setTimeout(giveUp, STOP_LIMIT_MS).unref();
}

function fail(log: Log, error: unknown, text: string): void {
  log.fatal({ err: error }, text);
  process.exit(1);
}
