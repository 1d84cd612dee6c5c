import { expect, test } from "@jest/globals";
import { createFairQueue } from "./queue.js";

const any = () => true;

test("callers take turns, however many jobs one of them has", () => {
  const queue = createFairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "c2"]) queue.add(item.charAt(0), item);
  const taken = Array.from({ length: 6 }, () => queue.take(any));
  expect(taken).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
  expect(queue.take(any)).toBeUndefined();
});

test("a caller who comes back stands behind those who wait already", () => {
  const queue = createFairQueue<string>();
  queue.add("a", "a1");
  queue.add("b", "b1");
  expect(queue.take(any)).toBe("a1");
  queue.add("a", "a2");
  expect([queue.take(any), queue.take(any)]).toEqual(["b1", "a2"]);
});

test("what may not be taken now holds up nothing else", () => {
  const queue = createFairQueue<string>();
  queue.add("a", "large");
  queue.add("a", "small after large");
  queue.add("b", "small");
  const isSmall = (item: string) => item.startsWith("small");
  expect([queue.take(isSmall), queue.take(isSmall), queue.take(isSmall)]).toEqual([
    "small after large",
    "small",
    undefined,
  ]);
  expect(queue.take(any)).toBe("large");
});

test("what is given back comes before everything else", () => {
  const queue = createFairQueue<string>();
  queue.add("a", "a1");
  queue.add("b", "b1");
  queue.addFirst("b", "b0");
  expect([queue.take(any), queue.take(any), queue.take(any)]).toEqual(["b0", "a1", "b1"]);
});

test("what is removed is not taken, and counts no more", () => {
  const queue = createFairQueue<string>();
  queue.add("a", "a1");
  queue.add("a", "a2");
  expect(queue.size).toBe(2);
  expect(queue.remove("a1")).toBe(true);
  expect(queue.remove("a1")).toBe(false);
  expect(queue.size).toBe(1);
  expect(queue.take(any)).toBe("a2");
  expect(queue.size).toBe(0);
});
