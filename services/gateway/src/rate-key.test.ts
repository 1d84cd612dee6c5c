import { expect, test } from "@jest/globals";
import { rateKeyOf } from "./rate-key.js";

test("an IPv4 address is counted as itself, however it is written", () => {
  for (const address of [
    "192.0.2.1",
    "::ffff:192.0.2.1",
    "::FFFF:c000:201",
    "192.0.2.1:50123",
    "[::ffff:192.0.2.1]:1",
  ]) {
    expect(rateKeyOf(address)).toBe("192.0.2.1");
  }
  expect(rateKeyOf("192.0.2.2")).toBe("192.0.2.2");
});

test("all IPv6 addresses of a network of 64 bits are counted as one", () => {
  const addresses = [
    "2001:db8:1:2::1",
    "2001:DB8:1:2:ffff:ffff:ffff:ffff",
    "2001:db8:1:2::1%eth0",
    "[2001:db8:1:2::9]:1",
  ];
  for (const address of addresses) {
    expect(rateKeyOf(address)).toBe("2001:db8:1:2::");
  }
  expect(rateKeyOf("2001:db8:1:3::1")).toBe("2001:db8:1:3::");
});

test("what is no address is counted as one, whatever it says", () => {
  for (const address of [undefined, "", "unknown", "_hidden1", "_hidden2", "1.2.3.4.5", "x".repeat(1_000)]) {
    expect(rateKeyOf(address)).toBe("");
  }
});
