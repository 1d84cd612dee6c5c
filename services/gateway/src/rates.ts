import type { Log } from "@assistant/kit/process/log.js";
import { exhausted } from "@assistant/kit/wire/fault.js";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { createClient } from "redis";
import type { RateClass } from "./route.js";

/** How many requests each principal, or address, may make in a minute. */
export interface Rates {
  /** Counts a request; throws the Fault exhausted where the window is full. Answers what the headers tell. */
  take(rateClass: RateClass, key: string): Promise<Window>;
  /** Whether windows are shared with other replicas; where they should be and are not, we count alone. */
  isDegraded(): boolean;
  close(): void;
}

/** The state of a window after a request was counted. */
export interface Window {
  readonly rateClass: RateClass;
  readonly limit: number;
  readonly left: number;
  readonly resetS: number;
}

export interface RatesOptions {
  /** Undefined: windows are this process's own. */
  readonly redisUrl: string | undefined;
  readonly perMinute: Readonly<Record<RateClass, number>>;
  readonly log: Log;
}

export function createRates({ redisUrl, perMinute, log }: RatesOptions): Rates {
  const redis = redisUrl === undefined ? undefined : connect(redisUrl, log);
  const entries = Object.entries(perMinute).map(([name, points]) => [name, createLimiter(name, points, redis)]);
  // Each class of the budgets has got its limiter.
  const limiters: Readonly<Record<RateClass, Limiter>> = Object.fromEntries(entries);
  return {
    async take(rateClass, key) {
      const limit = perMinute[rateClass];
      try {
        return windowOf(rateClass, limit, await limiters[rateClass].consume(key));
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw Object.assign(exhausted(seconds(error)), { window: windowOf(rateClass, limit, error) });
      }
    },
    isDegraded: () => redis !== undefined && !redis.isReady,
    close: () => redis?.destroy(),
  };
}

/** What the headers of an answer tell of a window (draft-ietf-httpapi-ratelimit-headers). */
export function rateHeaders({ rateClass, limit, left, resetS }: Window): Readonly<Record<string, string>> {
  return {
    "RateLimit-Policy": `"${rateClass}";q=${limit};w=${WINDOW_S}`,
    RateLimit: `"${rateClass}";r=${left};t=${resetS}`,
  };
}

/** The window that a request found full. */
export function fullWindow(error: unknown): Window | undefined {
  // `take` is the only one to put a window on an error.
  return error instanceof Error && "window" in error ? (error.window as Window) : undefined;
}

const WINDOW_S = 60;

type Redis = ReturnType<typeof connect>;

interface Limiter {
  consume(key: string): Promise<RateLimiterRes>;
}

function createLimiter(rateClass: string, points: number, redis: Redis | undefined): Limiter {
  const options = { keyPrefix: `rate:${rateClass}`, points, duration: WINDOW_S };
  const memory = new RateLimiterMemory(options);
  if (redis === undefined) return memory;
  // While Redis is away each replica counts for itself: never open, never an error.
  const shared = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    insuranceLimiter: memory,
  });
  return { consume: (key: string) => firstOf(shared.consume(key), () => memory.consume(key)) };
}

/** A Redis that hangs neither answers nor fails, so after a while memory takes over. */
async function firstOf(
  answer: Promise<RateLimiterRes>,
  instead: () => Promise<RateLimiterRes>,
): Promise<RateLimiterRes> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), REDIS_MS);
  });
  try {
    return (await Promise.race([answer, late])) ?? (await instead());
  } finally {
    clearTimeout(timer);
    // Nobody waits any more for an answer that comes later, nor for its failure.
    answer.catch(() => undefined);
  }
}

function connect(url: string, log: Log) {
  const redis = createClient({
    url,
    // Without these commands would wait for Redis to come back instead of failing over to memory.
    disableOfflineQueue: true,
    socket: { connectTimeout: 2_000, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 2_000) },
  });
  // Without a listener the first lost connection would end the process.
  redis.on("error", (error: unknown) => log.warn({ err: error }, "redis is away, rates are counted in memory"));
  redis.on("ready", () => log.info("redis is there, rates are counted in it"));
  redis.connect().catch((error: unknown) => log.warn({ err: error }, "redis cannot be reached"));
  return redis;
}

const REDIS_MS = 250;

function windowOf(rateClass: RateClass, limit: number, state: RateLimiterRes): Window {
  return { rateClass, limit, left: state.remainingPoints, resetS: seconds(state) };
}

function seconds({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1_000));
}
