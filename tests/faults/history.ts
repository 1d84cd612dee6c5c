import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Platform } from "../platform.js";

/** What writers saw: each attempt with the id it was acknowledged with, or the status that it failed with. */
interface History {
  readonly acknowledged: string[];
  readonly failures: Map<number | string, number>;
  /** Milliseconds of the longest answer. */
  longestMs: number;
}

export interface Load {
  readonly history: History;
  /** Resolves once this many more writes are acknowledged. */
  acknowledges(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Writers that create contexts as fast as they are answered, and go on whatever is answered. */
export function startWriters(platform: Platform, token: string, place: { categoryId: string; scopeId: string }): Load {
  const history: History = { acknowledged: [], failures: new Map(), longestMs: 0 };
  let stopping = false;
  const body = JSON.stringify({
    title: "Under load",
    category_id: place.categoryId,
    context: "Answer briefly.",
    scope_id: place.scopeId,
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

  const write = async () => {
    while (!stopping) {
      const startedAtMs = Date.now();
      const outcome = await attempt(`${platform.url}/api/core/contexts`, { method: "POST", headers, body });
      history.longestMs = Math.max(history.longestMs, Date.now() - startedAtMs);
      if ("id" in outcome) history.acknowledged.push(outcome.id);
      else {
        history.failures.set(outcome.failure, (history.failures.get(outcome.failure) ?? 0) + 1);
        await sleep(20);
      }
    }
  };
  const running = Array.from({ length: WRITERS }, write);
  return {
    history,
    async acknowledges(count) {
      const goal = history.acknowledged.length + count;
      for (const deadline = Date.now() + RECOVERED_MS; history.acknowledged.length < goal; await sleep(10)) {
        if (Date.now() > deadline)
          throw new Error(`no ${count} acknowledged writes: ${JSON.stringify([...history.failures])}`);
      }
    },
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
  };
}

const WRITERS = 20;
const RECOVERED_MS = 20_000;

async function attempt(url: string, init: RequestInit): Promise<{ id: string } | { failure: number | string }> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(15_000) });
    const text = await answer.text();
    if (answer.status === 503 && !answer.headers.has("retry-after")) return { failure: "503 without Retry-After" };
    if (answer.status !== 201) return { failure: answer.status };
    return { id: JSON.parse(text).id };
  } catch (error) {
    // While the gateway itself is away there is no answer at all.
    return { failure: error instanceof Error && error.name === "TimeoutError" ? "hang" : "no answer" };
  }
}

/** Of these ids: how many are rows, and how many events tell that each was created. */
export async function accountOf(databaseUrl: string, ids: readonly string[]) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const rows = await client.query("select count(*)::integer as count from contexts where id = any($1)", [ids]);
    const events = await client.query(
      `select count(*)::integer as count, count(distinct subject)::integer as subjects from outbox
       where type = 'contexts.context.created' and subject = any($1)`,
      [ids],
    );
    const orphans = await client.query(
      `select count(*)::integer as count from outbox where type = 'contexts.context.created'
       and not exists (select from contexts where contexts.id = outbox.subject)`,
    );
    return {
      rows: rows.rows[0].count,
      events: events.rows[0].count,
      subjects: events.rows[0].subjects,
      orphans: orphans.rows[0].count,
    };
  } finally {
    await client.end();
  }
}
