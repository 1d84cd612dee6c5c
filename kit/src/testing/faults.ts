import { Fault } from "../wire/fault.js";

/** The kind of fault that work ends with; undefined where it succeeds, the error itself where that is no fault. */
export function faultOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => (error instanceof Fault ? error.kind : error),
  );
}
