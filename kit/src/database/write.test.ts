import { randomBytes } from "node:crypto";
import { CallersServiceService, GetCallerResponse } from "@assistant/proto/assistant/common/v1/callers.js";
import type { DescField } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "../process/id.js";
import { platformRegistry, rulesOf } from "../rules/descriptor.js";
import { insertNote, type Notes, openNotes } from "../testing/notes.js";
import { callAs, callerOf, quiet } from "../testing.js";
import type { Call } from "../wire/call.js";
import { Fault, missing } from "../wire/fault.js";
import type { Rpc } from "../wire/rpc.js";
import { openPostgres, type Tx } from "./postgres.js";
import { openKeyring } from "./seal.js";
import { createWrite, type Write } from "./write.js";

const keys = { k1: randomBytes(32).toString("base64"), k2: randomBytes(32).toString("base64") };
const keyring = openKeyring(keyringJson("k1"));

function keyringJson(active: string): string {
  return JSON.stringify({ active, keys });
}

interface Ask {
  readonly text: string;
  readonly label?: Readonly<Record<string, string>>;
}

// Any answer that the proto files describe does; requests are not looked into.
const rpc: Rpc<Ask, GetCallerResponse> = {
  path: CallersServiceService.getCaller.path,
  requestStream: false,
  responseStream: false,
  requestSerialize: (request) => Buffer.from(JSON.stringify(request)),
  requestDeserialize: (bytes) => JSON.parse(bytes.toString()),
  responseSerialize: (answer) => Buffer.from(GetCallerResponse.encode(answer).finish()),
  responseDeserialize: (bytes) => GetCallerResponse.decode(bytes),
};

describe("write", () => {
  let notes: Notes;
  let write: Write;
  let woken = 0;
  const relay = {
    wake: () => {
      woken += 1;
    },
  };
  const caller = callerOf({});

  beforeAll(async () => {
    notes = await openNotes();
    write = createWrite(notes.db, { relay, keyring });
  });
  afterAll(() => notes.close());

  const create = (text: string) => async (tx: Tx) => {
    const [row] = await tx.change<{ id: string }>(insertNote, [newId("note"), caller.orgId, text]);
    return { group_ids: [row?.id ?? ""], managed_group_ids: [] };
  };
  const post = (call: Call, text: string, by: Write | Write["single"] = write) => by(call, rpc, { text }, create(text));
  const keyed = (key: string, given: Partial<Call> = {}) => callAs(caller, { idempotencyKey: key, ...given });
  const countOf = async (text: string) =>
    (await notes.db.query("count", "select id from notes where text = $1", [text])).length;

  test("a write is committed with its event and wakes the relay afterwards", async () => {
    const before = woken;
    const answer = await post(callAs(caller), "plain");
    const events = (await notes.events()).filter(({ subject }) => subject === answer.group_ids[0]);
    expect(events).toMatchObject([{ type: "notes.note.created", actor_id: caller.principalId, org_id: caller.orgId }]);
    expect(woken).toBe(before + 1);
  });

  test("a write of a single statement does the same without a transaction", async () => {
    await post(callAs(caller), "single", write.single);
    expect(await countOf("single")).toBe(1);
  });

  test("a second statement in a single write is refused, so that nobody takes it for a transaction", async () => {
    const twice = async (tx: Tx) => {
      await tx.query("one", "select 1", []);
      await tx.query("two", "select 2", []);
      return { group_ids: [], managed_group_ids: [] };
    };
    await expect(write.single(callAs(caller), rpc, { text: "" }, twice)).rejects.toThrow(/needs a transaction/);
  });

  test("a failed effect leaves nothing behind, neither change nor event nor answer", async () => {
    const fails = async (tx: Tx) => {
      await create("fails")(tx);
      throw missing();
    };
    await expect(write(keyed("fails"), rpc, { text: "fails" }, fails)).rejects.toMatchObject({ kind: "missing" });
    expect(await countOf("fails")).toBe(0);
    await post(keyed("fails"), "fails");
    expect(await countOf("fails")).toBe(1);
  });

  test("a statement that failed and was passed over is not taken for committed", async () => {
    const swallows = async (tx: Tx) => {
      await create("swallowed")(tx);
      // What the effect must not do: pass over the failure of a statement.
      await tx.query("broken", "select 1 / $1::int", [0]).catch(() => undefined);
      return { group_ids: [], managed_group_ids: [] };
    };
    await expect(write(callAs(caller), rpc, { text: "" }, swallows)).rejects.toThrow(/nothing is committed/);
    expect(await countOf("swallowed")).toBe(0);
  });

  test("50 equal posts with one key at once make one effect and 50 equal answers", async () => {
    const calls = Array.from({ length: 50 }, () => keyed("fifty"));
    const answers = await Promise.all(calls.map((call) => post(call, "fifty")));
    expect(new Set(answers.map((answer) => answer.group_ids[0])).size).toBe(1);
    expect(await countOf("fifty")).toBe(1);
    expect(calls.filter(({ reply }) => reply.replayed === true)).toHaveLength(49);
  });

  test("50 equal posts spread over replicas make one effect and 50 equal answers", async () => {
    const replicas = Array.from({ length: 5 }, () => openPostgres({ url: notes.url, poolMax: 5, log: quiet }));
    const writes = replicas.map((db) => createWrite(db, { relay, keyring }));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) => post(keyed("replicas"), "replicas", writes[place % 5])),
    );
    expect(new Set(answers.map((answer) => answer.group_ids[0])).size).toBe(1);
    expect(await countOf("replicas")).toBe(1);
    await Promise.all(replicas.map((db) => db.close()));
  });

  test("the stored answer comes with its version and is marked as replayed", async () => {
    const first = keyed("version");
    const effect = async (tx: Tx) => {
      first.reply.version = 7;
      return create("version")(tx);
    };
    const answer = await write(first, rpc, { text: "version" }, effect);
    const second = keyed("version");
    expect(await post(second, "version")).toEqual(answer);
    expect(second.reply).toEqual({ version: 7, replayed: true });
    expect(first.reply.replayed).toBeUndefined();
  });

  test("the same content in another order of a map's keys is the same request", async () => {
    const ask = (label: Record<string, string>) => write(keyed("map"), rpc, { text: "map", label }, create("map"));
    expect(await ask({ de: "a", en: "b" })).toEqual(await ask({ en: "b", de: "a" }));
    expect(await countOf("map")).toBe(1);
  });

  test("a key used with another request or for another rpc is refused", async () => {
    await post(keyed("reused"), "first");
    const expected = {
      kind: "invalid",
      violations: [{ path: ["header", "idempotency-key"], type: "idempotency_key_reused" }],
    };
    await expect(post(keyed("reused"), "second")).rejects.toMatchObject(expected);
    const other = { ...rpc, path: CallersServiceService.getKeys.path };
    await expect(write(keyed("reused"), other, { text: "first" }, create("x"))).rejects.toMatchObject(expected);
  });

  test("a key counts for one caller in one org, and for a guest in one session", async () => {
    const guest = callerOf({ useCaseId: "uc_1" });
    const others = [
      callerOf({ principalId: caller.principalId }),
      callerOf({ orgId: caller.orgId }),
      guest,
      { ...guest, sessionId: "ses_other" },
    ];
    for (const other of others) {
      await post(callAs(other, { idempotencyKey: "mine" }), "mine");
    }
    expect(await countOf("mine")).toBe(4);
  });

  test("while a twin is at work the others wait, at most two seconds, and are told so", async () => {
    let finish: () => void = () => undefined;
    const slow = async (tx: Tx) => {
      const answer = await create("slow")(tx);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return answer;
    };
    const first = write(keyed("slow"), rpc, { text: "slow" }, slow);
    const startedMs = Date.now();
    const elsewhere = openPostgres({ url: notes.url, poolMax: 2, log: quiet });
    const expected = {
      kind: "conflict",
      violations: [{ path: ["header", "idempotency-key"], context: { reason: "in_flight" } }],
    };
    await Promise.all([
      expect(post(keyed("slow"), "slow")).rejects.toMatchObject(expected),
      expect(post(keyed("slow"), "slow", createWrite(elsewhere, { relay, keyring }))).rejects.toMatchObject(expected),
    ]);
    expect(Date.now() - startedMs).toBeLessThan(3_000);
    finish();
    const answer = await first;
    expect(await post(keyed("slow"), "slow")).toEqual(answer);
    await elsewhere.close();
  });

  test("a twin does not wait beyond its own deadline", async () => {
    let finish: () => void = () => undefined;
    const slow = async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { group_ids: [], managed_group_ids: [] };
    };
    const first = write(keyed("short"), rpc, { text: "short" }, slow);
    const startedMs = Date.now();
    const second = post(keyed("short", { deadlineMs: Date.now() + 200 }), "short");
    await expect(second).rejects.toBeInstanceOf(Fault);
    expect(Date.now() - startedMs).toBeLessThan(1_000);
    finish();
    await first;
  });

  test("after 24 hours a key is free again", async () => {
    await post(keyed("old"), "old");
    await notes.db.query("age", "update idempotency set expires_at = now() - interval '1 s' where key = $1", ["old"]);
    await post(keyed("old"), "another request");
    expect(await countOf("another request")).toBe(1);
  });

  test("an answer with a secret is kept for ten minutes, any other for a day", async () => {
    const secret = pathThat((fields) => fields.some((field) => rulesOf(field).secret));
    const seconds =
      "select round(extract(epoch from expires_at - created_at))::int as s from idempotency where key = $1";
    await write(keyed("secret"), { ...rpc, path: secret }, { text: "" }, create("secret"));
    expect(await notes.db.query("kept", seconds, ["secret"])).toEqual([{ s: 600 }]);
    await post(keyed("no secret"), "no secret");
    expect(await notes.db.query("kept", seconds, ["no secret"])).toEqual([{ s: 86_400 }]);
  });

  test("stored answers are sealed and open after the keyring has rotated", async () => {
    const answer = await post(keyed("sealed"), "sealed");
    const [row] = await notes.db.query<{ answer: Buffer }>(
      "find_sealed",
      "select answer from idempotency where key = $1",
      ["sealed"],
    );
    expect(row?.answer.includes(answer.group_ids[0] ?? "")).toBe(false);
    const rotated = createWrite(notes.db, { relay, keyring: openKeyring(keyringJson("k2")) });
    expect(await post(keyed("sealed"), "sealed", rotated)).toEqual(answer);
  });

  test("transactions that collide run again", async () => {
    await post(callAs(caller), "a");
    await post(callAs(caller), "b");
    const lock = "update notes set version = version + 1 where text = $1 and org_id = $2 returning id";
    let bothIn = 0;
    const cross = (first: string, second: string) => async (tx: Tx) => {
      await tx.query("lock", lock, [first, caller.orgId]);
      bothIn += 1;
      // Only the first round waits for its opponent; in the second there is none.
      while (bothIn < 2) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      await tx.query("lock", lock, [second, caller.orgId]);
      return { group_ids: [], managed_group_ids: [] };
    };
    await Promise.all([
      write(callAs(caller), rpc, { text: "" }, cross("a", "b")),
      write(callAs(caller), rpc, { text: "" }, cross("b", "a")),
    ]);
    const rows = await notes.db.query("versions", "select version from notes where text = any($1) and org_id = $2", [
      ["a", "b"],
      caller.orgId,
    ]);
    expect(rows).toEqual([{ version: 3 }, { version: 3 }]);
  });
});

/** An rpc of the platform whose answer has such fields. */
function pathThat(holds: (fields: readonly DescField[]) => boolean): string {
  for (const described of platformRegistry()) {
    const method =
      described.kind === "service" ? described.methods.find(({ output }) => holds(output.fields)) : undefined;
    if (method !== undefined) {
      return `/${method.parent.typeName}/${method.name}`;
    }
  }
  throw new Error("no rpc answers such a message");
}
