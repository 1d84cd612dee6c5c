import { afterEach, beforeAll, expect, test } from "@jest/globals";
import { eventually } from "../testing/eventually.js";
import { faultOf } from "../testing/faults.js";
import { createSigner, type Signer, seconds, USER } from "../testing/signer.js";
import { startVerifying } from "../testing/verifying.js";
import { newTraceparent } from "../wire/trace.js";

const ABOUT = { requestId: "request-1", traceparent: newTraceparent() };
const ending: (() => unknown)[] = [];
let ours: Signer;
let next: Signer;

beforeAll(async () => {
  [ours, next] = await Promise.all([createSigner("k1"), createSigner("k2")]);
});

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
});

async function start() {
  const verifying = await startVerifying(ours.jwk);
  ending.push(() => verifying.close());
  return verifying;
}

test("keys are fetched at the first use, and not again for every token", async () => {
  const { verifier, identity } = await start();
  await verifier.verify(await ours.sign({}), ABOUT);
  await verifier.verify(await ours.sign({}), ABOUT);
  expect(identity.fetches).toBe(1);
});

test("keys are fetched again for an unknown one, but at most every 30 s", async () => {
  const { verifier, identity, pass } = await start();
  await verifier.verify(await ours.sign({}), ABOUT);
  identity.keys.push(next.jwk);
  const token = await next.sign({});
  expect(await faultOf(verifier.verify(token, ABOUT))).toBe("unauthenticated");
  expect(identity.fetches).toBe(1);
  pass(30_000);
  expect(await verifier.verify(token, ABOUT)).toMatchObject({ principalId: USER });
  expect(identity.fetches).toBe(2);
});

test("keys that are taken out of service stop counting", async () => {
  const { verifier, identity, pass } = await start();
  const verify = async () => verifier.verify(await ours.sign({ exp: seconds() + 3_600 }), ABOUT);
  await verify();
  identity.keys.splice(0, 1, next.jwk);
  pass(600_000);
  const refusal = await eventually("the keys are fetched again", () => faultOf(verify()));
  expect(refusal).toBe("unauthenticated");
});

test("keys of other kinds are not taken", async () => {
  const { verifier, identity } = await start();
  identity.keys.splice(0, 1, { ...ours.jwk, use: "enc" });
  expect(await faultOf(verifier.verify(await ours.sign({}), ABOUT))).toBe("unauthenticated");
});

test("while identity is away and no key is known nothing can be said: unavailable, until it is back", async () => {
  const { verifier, identity } = await start();
  await identity.stop();
  const token = await ours.sign({});
  expect(await faultOf(verifier.verify(token, ABOUT))).toBe("unavailable");
  await identity.restart();
  await eventually("it is back", async () => (await faultOf(verifier.verify(token, ABOUT))) === undefined);
});

test("keys that are known keep counting while identity is away, also past their refresh", async () => {
  const { verifier, identity, pass } = await start();
  await verifier.verify(await ours.sign({}), ABOUT);
  await identity.stop();
  pass(600_000);
  const token = await ours.sign({ exp: seconds() + 3_600 });
  expect(await verifier.verify(token, ABOUT)).toMatchObject({ principalId: USER });
});
