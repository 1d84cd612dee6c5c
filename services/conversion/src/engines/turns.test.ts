import { until } from "@assistant/kit/testing/until.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import { describe, expect, test } from "@jest/globals";
import { faultOf } from "../testing/engine-suite.js";
import { createTurns } from "./turns.js";

const forever = () => ({ signal: new AbortController().signal, deadlineMs: Date.now() + 600_000 });

/** Work that goes on until it is told to end. */
function held() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, work: () => ended };
}

describe("turns", () => {
  test("are as many at a time as there are slots, in the order in which they were asked for", async () => {
    const turns = createTurns({ slots: 2, queueMax: 8 });
    const begun: number[] = [];
    const works = [held(), held(), held(), held()];
    const all = works.map(({ work }, at) =>
      turns.take(forever(), () => {
        begun.push(at);
        return work();
      }),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    works[1]?.end();
    await all[1];
    expect(begun).toEqual([0, 1, 2]);
    for (const { end } of works) end();
    await Promise.all(all);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  test("are refused when as many wait as may", async () => {
    const turns = createTurns({ slots: 1, queueMax: 2 });
    const { end, work } = held();
    const taken = [turns.take(forever(), work), turns.take(forever(), work), turns.take(forever(), work)];
    expect((await faultOf(turns.take(forever(), work))).kind).toBe("unavailable");
    end();
    await Promise.all(taken);
  });

  test("are left by who has gone, and not begun for who comes too late", async () => {
    const turns = createTurns({ slots: 1, queueMax: 8 });
    const { end, work } = held();
    const first = turns.take(forever(), work);
    const gone = new AbortController();
    let begun = 0;
    const count = async () => {
      begun += 1;
    };
    const second = faultOf(turns.take({ ...forever(), signal: gone.signal }, count));
    gone.abort(new Fault("late", "the client went away"));
    expect((await second).message).toBe("the client went away");
    expect((await faultOf(turns.take({ ...forever(), signal: gone.signal }, count))).kind).toBe("late");
    expect((await faultOf(turns.take({ ...forever(), deadlineMs: Date.now() }, count))).kind).toBe("late");
    end();
    await first;
    expect(begun).toBe(0);
    await turns.take(forever(), count);
    expect(begun).toBe(1);
  });

  test("are given back whatever becomes of the work", async () => {
    const turns = createTurns({ slots: 1, queueMax: 0 });
    const throwing = () => {
      throw new Error("at once");
    };
    await expect(turns.take(forever(), throwing)).rejects.toThrow("at once");
    await expect(turns.take(forever(), () => Promise.reject(new Error("later")))).rejects.toThrow("later");
    expect(await turns.take(forever(), async () => "done")).toBe("done");
  });

  test("are not begun if they are closed just then", async () => {
    const turns = createTurns({ slots: 1, queueMax: 8 });
    const outcome = faultOf(turns.take(forever(), () => new Promise(() => {})));
    await turns.close();
    expect((await outcome).kind).toBe("late");
  });

  test("end what is under way and what waits when they are closed, and wait for the former", async () => {
    const turns = createTurns({ slots: 1, queueMax: 8 });
    let isOver = false;
    let isBegun = false;
    const obedient = (patience: AbortSignal) =>
      new Promise<void>((_, reject) => {
        isBegun = true;
        patience.addEventListener("abort", () => {
          isOver = true;
          reject(patience.reason);
        });
      });
    const outcomes = [faultOf(turns.take(forever(), obedient)), faultOf(turns.take(forever(), obedient))];
    await until(() => isBegun);
    await turns.close();
    expect(isOver).toBe(true);
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(["late", "late"]);
  });
});
