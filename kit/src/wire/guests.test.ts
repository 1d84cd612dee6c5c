import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { anonymous } from "../caller/caller.js";
import type { Verifier } from "../caller/verifier.js";
import { Probe, type RunningProbe, startProbe } from "../testing/probe.js";
import { callRaw, streamRaw } from "../testing/wire.js";

/** Who brings `guest` is one of the use case uc_1, whatever role and groups the token gives. */
const verifier: Verifier = {
  async verify(token) {
    const caller = { ...anonymous, principalId: "sva_1", orgId: "org_1", kind: "service_account", token } as const;
    return token === "guest" ? { ...caller, role: "admin", useCaseId: "uc_1" } : caller;
  },
};

let probe: RunningProbe;
let handled: string[];

beforeEach(async () => {
  handled = [];
  const note = async ({ name = "" }) => {
    handled.push(name);
    return { text: name };
  };
  const noteEach = async function* (requests: AsyncIterable<{ readonly name?: string }>) {
    for await (const request of requests) {
      yield await note(request);
    }
  };
  const handlers = { read: note, write: note, open: note, chat: noteEach, dictate: noteEach };
  probe = await startProbe(handlers, { verifier });
});

afterEach(() => probe.server.stop(0));

const ask = (rpc: (typeof Probe)["read" | "write" | "open"], token: string, name = "ada") =>
  callRaw(probe.address, rpc.path, rpc.requestSerialize({ name }), { authorization: `Bearer ${token}` }).answer;

const stream = (rpc: (typeof Probe)["chat" | "dictate"], token: string) => {
  const { wire, answer } = streamRaw(probe.address, rpc.path, { authorization: `Bearer ${token}` });
  wire.end(rpc.requestSerialize({ name: "ada" }));
  return answer;
};

describe("a guest", () => {
  test("may call what is for guests", async () => {
    expect((await ask(Probe.read, "guest")).code).toBe("OK");
  });

  test("403: may call nothing else, whatever role the token gives, and no handler hears of it", async () => {
    const answer = await ask(Probe.write, "guest");
    expect(answer.code).toBe("PERMISSION_DENIED");
    expect(answer.fault).toMatchObject({ kind: "FAULT_KIND_DENIED", violations: [{ type: "forbidden", path: [] }] });
    expect(handled).toEqual([]);
  });

  test("may stream what is for guests, and nothing else", async () => {
    expect((await stream(Probe.chat, "guest")).code).toBe("OK");
    expect(handled).toEqual(["ada"]);
    const answer = await stream(Probe.dictate, "guest");
    expect([answer.code, answer.fault?.kind]).toEqual(["PERMISSION_DENIED", "FAULT_KIND_DENIED"]);
    expect(handled).toEqual(["ada"]);
  });

  test("403 comes before 422: the message is not looked at", async () => {
    expect((await ask(Probe.write, "guest", "far too long")).code).toBe("PERMISSION_DENIED");
    expect((await ask(Probe.read, "guest", "far too long")).code).toBe("INVALID_ARGUMENT");
  });

  test("may call what needs no token, as anybody", async () => {
    expect((await ask(Probe.open, "guest")).code).toBe("OK");
  });
});

test("who is no guest may call all of it", async () => {
  for (const rpc of [Probe.read, Probe.write, Probe.open]) {
    expect((await ask(rpc, "somebody")).code).toBe("OK");
  }
  for (const rpc of [Probe.chat, Probe.dictate]) {
    expect((await stream(rpc, "somebody")).code).toBe("OK");
  }
});
