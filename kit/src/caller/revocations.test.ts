import { afterEach, describe, expect, test } from "@jest/globals";
import { newId } from "../process/id.js";
import { type Revoking, type RevokingOptions, startRevoking } from "../testing/revoking.js";
import { until } from "../testing/until.js";
import { Fault } from "../wire/fault.js";
import { readRevocations, writeRevocations } from "./revocation-notice.js";

const ending: Revoking[] = [];

afterEach(async () => {
  await Promise.all(ending.splice(0).map((revoking) => revoking.close()));
});

async function start(options: RevokingOptions = {}): Promise<Revoking> {
  const revoking = await startRevoking(options);
  ending.push(revoking);
  return revoking;
}

async function known(options: RevokingOptions = {}): Promise<Revoking> {
  const revoking = await start(options);
  await until(() => revoking.revocations.isKnown());
  return revoking;
}

const session = (id: string, inMs = 660_000) => ({ id, expires_at: new Date(Date.now() + inMs) });
const principal = (id: string, min_epoch: number) => ({ ...session(id), min_epoch });

/** What becomes of a token: undefined if it is taken, else the kind of the Fault. */
function outcome({ revocations }: Revoking, { sessionId = newId("ses"), principalId = newId("usr"), epoch = 1 }) {
  try {
    revocations.check({ caller: { sessionId, principalId }, epoch });
    return undefined;
  } catch (error) {
    return error instanceof Fault ? error.kind : error;
  }
}

describe("what was revoked", () => {
  test("before the start is refused from the first moment on", async () => {
    const sessionId = newId("ses");
    const revoking = await start();
    revoking.pages.push({ sessions: [session(sessionId)], principals: [] });
    expect([undefined, "unavailable", "unauthenticated"]).toContain(outcome(revoking, { sessionId }));
    await until(() => revoking.revocations.isKnown());
    await until(() => outcome(revoking, { sessionId }) === "unauthenticated");
    expect(outcome(revoking, {})).toBeUndefined();
  });

  test("and told is refused: a session by its id, a principal up to an epoch, in the same second too", async () => {
    const revoking = await known();
    const [sessionId, principalId] = [newId("ses"), newId("sva")];
    expect(outcome(revoking, { sessionId, principalId, epoch: 4 })).toBeUndefined();
    await revoking.tell({ sessions: [session(sessionId)], principals: [principal(principalId, 5)] });
    await until(() => outcome(revoking, { sessionId }) === "unauthenticated");
    await until(() => outcome(revoking, { principalId, epoch: 4 }) === "unauthenticated");
    expect(outcome(revoking, { principalId, epoch: 5 })).toBeUndefined();
    expect(outcome(revoking, { principalId: newId("sva"), epoch: 1 })).toBeUndefined();
  });

  test("is refused though it stands on a later page", async () => {
    const revoking = await start({ isAlone: true });
    const ids = Array.from({ length: 3 }, () => newId("ses"));
    revoking.pages.push(...ids.map((id) => ({ sessions: [session(id)], principals: [] })));
    await revoking.restartIdentity();
    await until(() => revoking.revocations.isKnown());
    expect(ids.map((sessionId) => outcome(revoking, { sessionId }))).toEqual(Array(3).fill("unauthenticated"));
  });

  test("and told while all is being asked for is not lost, though the answer was made before", async () => {
    const revoking = await known();
    const [sessionId, principalId] = [newId("ses"), newId("usr")];
    const { promise: held, resolve: release } = withResolvers();
    revoking.hold = () => held;
    revoking.pages.push({ sessions: [], principals: [principal(principalId, 2)] });
    const before = revoking.loads;
    // Nothing reminds it to ask but a channel that opened: the listener is told so by being cut off.
    await revoking.reopen();
    await until(() => revoking.loads > before);
    await revoking.tell({ sessions: [session(sessionId)], principals: [principal(principalId, 7)] });
    await until(() => outcome(revoking, { sessionId }) === "unauthenticated");
    release();
    await until(() => outcome(revoking, { principalId, epoch: 6 }) === "unauthenticated");
    revoking.hold = async () => undefined;
    await revoking.reopen();
    await until(() => revoking.loads > before + 1);
    expect(outcome(revoking, { sessionId })).toBe("unauthenticated");
    expect(outcome(revoking, { principalId, epoch: 6 })).toBe("unauthenticated");
  });

  test("is found by asking again where nothing can be told", async () => {
    const revoking = await known({ isMute: true, reloadMs: 20 });
    const sessionId = newId("ses");
    revoking.pages.push({ sessions: [session(sessionId)], principals: [] });
    await until(() => outcome(revoking, { sessionId }) === "unauthenticated");
  });

  test("is forgotten once its tokens have expired, and not before", async () => {
    const revoking = await known({ isMute: true, reloadMs: 20 });
    const [sessionId, principalId] = [newId("ses"), newId("usr")];
    revoking.pages.push({ sessions: [session(sessionId)], principals: [principal(principalId, 2)] });
    await until(() => outcome(revoking, { sessionId }) === "unauthenticated");
    revoking.pages.length = 0;
    revoking.pass(600_000);
    const { loads } = revoking;
    await until(() => revoking.loads > loads + 2);
    expect([outcome(revoking, { sessionId }), outcome(revoking, { principalId })]).toEqual([
      "unauthenticated",
      "unauthenticated",
    ]);
    revoking.pass(61_000);
    await until(
      () => outcome(revoking, { sessionId }) === undefined && outcome(revoking, { principalId }) === undefined,
    );
  });

  test("with a mistaken time does not stay for ever", async () => {
    const revoking = await known({ reloadMs: 20 });
    const sessionId = newId("ses");
    await revoking.tell({ sessions: [session(sessionId, 1e12)] });
    await until(() => outcome(revoking, { sessionId }) === "unauthenticated");
    revoking.pass(3_601_000);
    await until(() => outcome(revoking, { sessionId }) === undefined);
  });

  test("is still listened to after a notice that nobody can read", async () => {
    const revoking = await known();
    for (const text of ["", "?", Buffer.from([0xff, 0xff]).toString("base64"), "x".repeat(7_000)]) {
      await revoking.tellText(text);
    }
    const sessionId = newId("ses");
    await revoking.tell({ sessions: [session(sessionId)] });
    await until(() => outcome(revoking, { sessionId }) === "unauthenticated");
  });
});

describe("what is not known is not answered: unavailable", () => {
  test("until identity has told all there is", async () => {
    const revoking = await start({ isAlone: true });
    expect([revoking.revocations.isKnown(), outcome(revoking, {})]).toEqual([false, "unavailable"]);
    await revoking.restartIdentity();
    await until(() => outcome(revoking, {}) === undefined);
  });

  test("30 s after the last word from identity, where nothing can be told either; and no more once it is back", async () => {
    const revoking = await known({ isMute: true, reloadMs: 20 });
    await revoking.stopIdentity();
    revoking.pass(29_000);
    expect(outcome(revoking, {})).toBeUndefined();
    revoking.pass(2_000);
    expect([revoking.revocations.isKnown(), outcome(revoking, {})]).toEqual([false, "unavailable"]);
    await revoking.restartIdentity();
    await until(() => outcome(revoking, {}) === undefined);
  });

  test("also where the clock was set back", async () => {
    const revoking = await known({ isMute: true });
    revoking.pass(-31_000);
    expect(outcome(revoking, {})).toBe("unavailable");
  });

  test("but while the channel stands, identity may be away for long", async () => {
    const revoking = await known();
    await revoking.stopIdentity();
    revoking.pass(60_000);
    await until(() => outcome(revoking, {}) === undefined);
    const sessionId = newId("ses");
    await revoking.tell({ sessions: [session(sessionId)] });
    await until(() => outcome(revoking, { sessionId }) === "unauthenticated");
  });

  test("and a channel that was cut off proves nothing before all was asked for again", async () => {
    const revoking = await known();
    await revoking.stopIdentity();
    await revoking.reopen();
    revoking.pass(31_000);
    // Long enough for a probe to be answered, many times over.
    await until(() => revoking.probes() > 3);
    expect(outcome(revoking, {})).toBe("unavailable");
    await revoking.restartIdentity();
    await until(() => outcome(revoking, {}) === undefined);
  });
});

function withResolvers() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe("notices of revocations", () => {
  test("say what they were made of, in pieces that fit any channel", () => {
    const sessions = Array.from({ length: 1_000 }, () => session("s".repeat(64)));
    const principals = Array.from({ length: 500 }, () => principal("p".repeat(64), 2 ** 31 - 1));
    const texts = writeRevocations({ sessions, principals });
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(7_500);
    const read = texts.map(readRevocations);
    expect(read.flatMap((part) => part.sessions)).toEqual(sessions);
    expect(read.flatMap((part) => part.principals)).toEqual(principals);
    expect(writeRevocations({ sessions: [], principals: [] })).toEqual([]);
  });
});
