import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { newId } from "../process/id.js";
import { faultOf } from "../testing/faults.js";
import { until } from "../testing/until.js";
import { createTestIdentity, type TestIdentity } from "../testing.js";
import { newTraceparent } from "../wire/trace.js";

const ABOUT = { requestId: "request-1", traceparent: newTraceparent() };
let identity: TestIdentity;

beforeAll(async () => {
  identity = await createTestIdentity();
});

afterAll(() => identity.close());

const outcome = (token: string) => faultOf(identity.verifier.verify(token, ABOUT));

test("a token that is remembered as verified is refused once its session has ended", async () => {
  const sessionId = newId("ses");
  const [token, another] = await Promise.all([identity.token({ sessionId }), identity.token({})]);
  expect([await outcome(token), await outcome(token)]).toEqual([undefined, undefined]);
  await identity.revoke({ sessionId });
  await until(async () => (await outcome(token)) === "unauthenticated");
  expect(await outcome(another)).toBeUndefined();
});

test("a token that nobody has seen before is refused as well", async () => {
  const sessionId = newId("ses");
  await identity.revoke({ sessionId });
  await until(async () => (await outcome(await identity.token({ sessionId }))) === "unauthenticated");
});

test("of two tokens made in the same second only the one of the later epoch holds", async () => {
  const principalId = newId("usr");
  const iat = Math.floor(Date.now() / 1_000);
  const [before, after] = await Promise.all([1, 2].map((ep) => identity.token({ principalId }, { iat, ep })));
  await identity.revoke({ principalId, minEpoch: 2 });
  await until(async () => (await outcome(before ?? "")) === "unauthenticated");
  expect(await outcome(after ?? "")).toBeUndefined();
});
