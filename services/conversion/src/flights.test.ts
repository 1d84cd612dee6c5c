import { until } from "@assistant/kit/testing/until.js";
import { quiet } from "@assistant/kit/testing.js";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { createFlights, type Flights } from "./flights.js";

interface Work {
  signal: AbortSignal;
  succeed(made: string): void;
  fail(error: Error): void;
}

let disposed: string[];
let works: Work[];
let flights: Flights<string>;
const nobodyLeaves = new AbortController().signal;

beforeEach(() => {
  disposed = [];
  works = [];
  flights = createFlights(async (made) => void disposed.push(made), quiet);
});

const start = (signal: AbortSignal) =>
  new Promise<string>((resolve, reject) => {
    works.push({ signal, succeed: resolve, fail: reject });
  });
const join = (key: string, signal = nobodyLeaves) => flights.join(key, signal, start);
const work = (at: number): Work => {
  const found = works[at];
  if (found === undefined) throw new Error(`no work ${at} was begun`);
  return found;
};

describe("a flight", () => {
  test("is begun once for all who ask for the same meanwhile", async () => {
    const seats = [join("a"), join("a"), join("b"), join("a")];
    expect(works).toHaveLength(2);
    work(0).succeed("made a");
    work(1).succeed("made b");
    expect((await Promise.all(seats)).map(({ made }) => made)).toEqual(["made a", "made a", "made b", "made a"]);
  });

  test("ends with the last who leaves, and is disposed of once", async () => {
    const seats = [join("a"), join("a")];
    work(0).succeed("made");
    const [first, second] = await Promise.all(seats);
    first?.leave();
    first?.leave();
    await Promise.resolve();
    expect(disposed).toEqual([]);
    second?.leave();
    await until(() => disposed.length > 0);
    expect(disposed).toEqual(["made"]);
  });

  test("goes on without those who give up, who are told at once", async () => {
    const leader = new AbortController();
    const seats = [join("a", leader.signal), join("a")];
    const reason = new Error("the client went away");
    leader.abort(reason);
    await expect(seats[0]).rejects.toBe(reason);
    expect(work(0).signal.aborted).toBe(false);
    work(0).succeed("made");
    expect((await seats[1])?.made).toBe("made");
  });

  test("is given up when nobody is left, and nobody joins it any more", async () => {
    const gone = new AbortController();
    const seat = join("a", gone.signal);
    gone.abort(new Error("the client went away"));
    await expect(seat).rejects.toThrow("the client went away");
    expect(work(0).signal.aborted).toBe(true);
    const next = join("a");
    expect(works).toHaveLength(2);
    work(1).succeed("second");
    expect((await next).made).toBe("second");
    // What comes of the first all the same belongs to nobody.
    work(0).succeed("first");
    await until(() => disposed.includes("first"));
    expect(disposed).toEqual(["first"]);
  });

  test("fails for all who wait, and is begun anew for who comes after", async () => {
    const seats = [join("a"), join("a")];
    const error = new Error("no");
    work(0).fail(error);
    for (const seat of seats) await expect(seat).rejects.toBe(error);
    const next = join("a");
    expect(works).toHaveLength(2);
    work(1).succeed("made");
    expect((await next).made).toBe("made");
  });

  test("is not joined once it has landed", async () => {
    const first = join("a");
    work(0).succeed("first");
    await first;
    void join("a");
    expect(works).toHaveLength(2);
  });

  test("lets nobody in who has given up already", async () => {
    await expect(join("a", AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect(work(0).signal.aborted).toBe(true);
  });
});
