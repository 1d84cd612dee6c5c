import type { Log } from "@assistant/kit/process/log.js";
import { Fault } from "@assistant/kit/wire/fault.js";

/** Work that is done once for all who ask for the same at the same time. */
export interface Flights<Made> {
  /**
   * What the work under this key makes: that of the work under way, if there is some, else of work begun now. Whoever gives
   * up is told so at once, and the work goes on for the others; once nobody is left, its signal is aborted. What fails
   * fails for all who wait, and is forgotten.
   */
  join(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<Made>): Promise<Seat<Made>>;
}

/** A share in what was made. */
export interface Seat<Made> {
  readonly made: Made;
  /** To be called when it is needed no more; the last one who does disposes of it. */
  leave(): void;
}

export function createFlights<Made>(dispose: (made: Made) => Promise<void>, log: Log): Flights<Made> {
  const flights = new Map<string, Flight<Made>>();

  const land = (key: string, flight: Flight<Made>) => {
    if (flights.get(key) === flight) flights.delete(key);
  };
  const depart = (key: string, start: (signal: AbortSignal) => Promise<Made>): Flight<Made> => {
    const controller = new AbortController();
    const flight = { controller, made: start(controller.signal), seats: 0 };
    flights.set(key, flight);
    const landed = () => land(key, flight);
    flight.made.then(landed, landed);
    return flight;
  };
  const vacate = (key: string, flight: Flight<Made>) => {
    flight.seats -= 1;
    if (flight.seats > 0) return;
    land(key, flight);
    flight.controller.abort(new Fault("late", "nobody waits for it any more"));
    // Where there is nothing made there is nothing to dispose of: everybody who waited was told why.
    const disposed = flight.made.then(dispose, () => undefined);
    disposed.catch((error: unknown) => log.error({ err: error }, "a result cannot be disposed of"));
  };

  return {
    async join(key, signal, start) {
      const flight = flights.get(key) ?? depart(key, start);
      flight.seats += 1;
      let isTaken = true;
      const leave = () => {
        if (isTaken) vacate(key, flight);
        isTaken = false;
      };
      try {
        return { made: await unlessAborted(flight.made, signal), leave };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

interface Flight<Made> {
  readonly controller: AbortController;
  readonly made: Promise<Made>;
  seats: number;
}

async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let abandon = () => {};
  const abandoned = new Promise<never>((_, reject) => {
    abandon = () => reject(signal.reason);
    if (signal.aborted) abandon();
    signal.addEventListener("abort", abandon, { once: true });
  });
  try {
    return await Promise.race([work, abandoned]);
  } finally {
    signal.removeEventListener("abort", abandon);
  }
}
