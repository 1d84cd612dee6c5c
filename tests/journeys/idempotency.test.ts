import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";

let platform: Platform;
let token: string;
let body: string;

beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"] });
  token = await platform.token();
  const org = (await platform.get<{ items: { id: string }[] }>("/api/core/orgs", token)).items[0];
  const category = { name: "Once", scope_id: org?.id };
  const { id } = await platform.post<{ id: string }>("/api/core/context-categories", token, category);
  body = JSON.stringify({ title: "Once", category_id: id, context: "Answer briefly.", scope_id: org?.id });
}, 90_000);
afterAll(() => platform.stop());

describe("an Idempotency-Key", () => {
  test("sent 50 times in parallel creates one context and answers the same body 50 times", async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 50 }, () => create("in-parallel", body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map(({ etag }) => etag))).toEqual(new Set(['"1"']));
    expect(answers.filter(({ replayed }) => replayed !== "true")).toHaveLength(1);
    expect(await count()).toBe(before + 1);
  });

  test("is remembered over a kill -9 of the gateway and of the service", async () => {
    const first = await create("over-a-crash", body);
    for (const part of ["gateway", "contexts"]) process.kill(await platform.pidOf(part), "SIGKILL");
    const again = await until(() => create("over-a-crash", body));
    expect(again).toEqual({ ...first, replayed: "true" });
  });

  test("is refused with another body", async () => {
    await create("another-body", body);
    const other = await create("another-body", body.replace("Once", "Twice"));
    expect(other.status).toBe(422);
    expect(JSON.parse(other.text).detail).toEqual([
      {
        type: "idempotency_key_reused",
        loc: ["header", "idempotency-key"],
        msg: "Idempotency-Key was already used with another body",
        input: "another-body",
        ctx: {},
      },
    ]);
  });
});

async function create(key: string, text: string) {
  const answer = await fetch(`${platform.url}/api/core/contexts`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
    body: text,
  });
  const { status, headers } = answer;
  return {
    status,
    text: await answer.text(),
    etag: headers.get("etag"),
    replayed: headers.get("idempotency-replayed"),
  };
}

async function count(): Promise<number> {
  return (await platform.get<{ items: unknown[] }>("/api/core/contexts?page_size=200", token)).items.length;
}

/** Asks again while the parts come back: no answer, or 503. */
async function until<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + 20_000; ; ) {
    // The gateway itself may still be away.
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined && answer.status !== 503) return answer;
    if (Date.now() > deadline) throw new Error("the platform did not come back");
  }
}
