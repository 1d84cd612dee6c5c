import { expect, test } from "@jest/globals";
import { clientOf } from "./client.js";

test("a client is kept as it says, up to 64 and 512 characters", () => {
  const fits = { address: "1".repeat(64), userAgent: `${"é".repeat(511)}🙂` };
  expect(clientOf(fits)).toEqual(fits);
  expect(clientOf({ address: `${fits.address}2`, userAgent: `${fits.userAgent}x` })).toEqual(fits);
});

test("what steers terminals or breaks lines is left out of it", () => {
  const steering = "\0a\tb\r\nc\u001b[31md\u007f\u0085e\u009b1mf";
  expect(clientOf({ address: steering, userAgent: steering })).toEqual({
    address: "abc[31mde1mf",
    userAgent: "abc[31mde1mf",
  });
});
