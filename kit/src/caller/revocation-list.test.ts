import { expect, test } from "@jest/globals";
import { createRevocationList } from "./revocation-list.js";

test("a time that is none, as of one too far off to be told, keeps nothing for ever", () => {
  let nowMs = 1_000_000;
  const list = createRevocationList(() => nowMs);
  const never = new Date(Number.NaN);
  list.add({
    sessions: [{ id: "ses_1", expires_at: never }],
    principals: [{ id: "usr_1", min_epoch: 2, expires_at: never }],
  });
  const ofSession = { caller: { sessionId: "ses_1", principalId: "usr_2" }, epoch: 1 };
  const ofPrincipal = { caller: { sessionId: "ses_2", principalId: "usr_1" }, epoch: 1 };
  expect(() => list.check(ofSession)).toThrow();
  expect(() => list.check(ofPrincipal)).toThrow();
  nowMs += 3_601_000;
  list.forgetExpired();
  expect(() => list.check(ofSession)).not.toThrow();
  expect(() => list.check(ofPrincipal)).not.toThrow();
});
