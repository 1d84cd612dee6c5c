import { setTimeout as sleep } from "node:timers/promises";
import type { Platform } from "../platform.js";

/** What those who sign in saw, while something broke. */
interface LoginHistory {
  /** Per link, how many consumers it signed in. */
  readonly uses: Map<string, number>;
  /** Each failure, by what was asked and its status. */
  readonly failures: Map<string, number>;
  /** Sessions whose end was acknowledged, with a token of each, and when. */
  readonly ended: { readonly token: string; readonly atMs: number }[];
  /** Whole rounds: link, sign in twice at once, refresh, end. */
  rounds: number;
}

export interface LoginLoad {
  readonly history: LoginHistory;
  /** Resolves once this many more rounds went through. */
  completes(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** People who sign in by links that work once, two with each link at the same moment, refresh, and sign out again. */
export function startLogins(platform: Platform, admin: string, accountIds: readonly string[]): LoginLoad {
  const history: LoginHistory = { uses: new Map(), failures: new Map(), ended: [], rounds: 0 };
  let stopping = false;
  let turn = 0;
  const send = clientOf(platform.url, history);
  const person = async () => {
    while (!stopping) {
      turn += 1;
      // Turn by turn, since an account may make only so many links in an hour.
      const accountId = accountIds[turn % accountIds.length] ?? "";
      if (await signInOnce(send, history, { admin, accountId })) history.rounds += 1;
      else await sleep(100);
    }
  };
  const running = Array.from({ length: PEOPLE }, person);
  return {
    history,
    async completes(count) {
      const goal = history.rounds + count;
      for (const deadline = Date.now() + COMPLETED_MS; history.rounds < goal; await sleep(10)) {
        if (Date.now() > deadline) throw new Error(`no ${count} rounds: ${JSON.stringify([...history.failures])}`);
      }
    },
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
  };
}

const PEOPLE = 8;
const COMPLETED_MS = 60_000;
const ANSWERED_MS = 15_000;

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

type Send = <T>(what: string, method: string, path: string, body?: object, token?: string) => Promise<T | undefined>;

async function signInOnce(send: Send, history: LoginHistory, who: { admin: string; accountId: string }) {
  const path = `/api/core/service-accounts/${who.accountId}/magic-links`;
  const link = await send<{ token_id: string; token: string }>("create", "POST", path, {}, who.admin);
  if (link === undefined) return false;
  const consume = () => send<Tokens>("consume", "POST", TOKEN, { grant_type: MAGIC_LINK, token: link.token });
  const signedIn = (await Promise.all([consume(), consume()])).filter((tokens) => tokens !== undefined);
  history.uses.set(link.token_id, signedIn.length);
  const [tokens] = signedIn;
  if (tokens === undefined) return false;
  const { refresh_token } = tokens;
  const renewed = await send<Tokens>("refresh", "POST", TOKEN, { grant_type: "refresh_token", refresh_token });
  const { access_token: token, refresh_token: last } = renewed ?? tokens;
  const isEnded = await send("end", "POST", "/api/core/auth/revoke", { token: last });
  if (isEnded !== undefined) history.ended.push({ token, atMs: Date.now() });
  return isEnded !== undefined;
}

const TOKEN = "/api/core/auth/token";
const MAGIC_LINK = "urn:assistant:grant-type:magic-link";

function clientOf(url: string, { failures }: LoginHistory): Send {
  return async <T>(what: string, method: string, path: string, body?: object, token?: string) => {
    const outcome = await attempt(`${url}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // The caller names what the operation answers.
    if ("answer" in outcome) return outcome.answer as T;
    const failure = `${what} ${outcome.status}`;
    failures.set(failure, (failures.get(failure) ?? 0) + 1);
    return undefined;
  };
}

async function attempt(url: string, init: RequestInit): Promise<{ answer: unknown } | { status: number | string }> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWERED_MS) });
    const answer: unknown = await response.json();
    return response.ok ? { answer } : { status: response.status };
  } catch (error) {
    return { status: error instanceof Error && error.name === "TimeoutError" ? "hangs" : "no answer" };
  }
}
