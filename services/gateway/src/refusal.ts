import type { Violation } from "@assistant/kit/rules/violation.js";

/** An answer that is no success, as HTTP shows it. */
export interface Problem {
  readonly status: number;
  readonly detail: readonly Detail[];
  readonly headers: Readonly<Record<string, string>>;
  /** What is wrong with a token request, where more may be said than its name. */
  readonly description?: string | undefined;
}

/** One entry of the body of such an answer. */
export interface Detail {
  readonly type: string;
  readonly loc: readonly string[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx: Readonly<Record<string, unknown>>;
}

/** A violation whose path is already its `loc`, with what was sent there as it may be shown. */
export interface Located extends Violation {
  readonly input: unknown;
}

export function detailOf({ type, path, message, input, context }: Located): Detail {
  return { type, loc: path, msg: message, input, ctx: context };
}

/** A problem that the gateway finds itself, thrown to where answers are written. */
export interface Refusal extends Error {
  readonly problem: Problem;
}

export function refusal(problem: Problem): Refusal {
  const types = problem.detail.map(({ type }) => type).join(", ");
  return Object.assign(new Error(`refused with ${problem.status}: ${types}`), { problem });
}

/** Refuses for violations. */
export function refusalFor(status: number, ...located: readonly Located[]): Refusal {
  return refusal({ status, detail: located.map(detailOf), headers: {} });
}

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && "problem" in error;
}
