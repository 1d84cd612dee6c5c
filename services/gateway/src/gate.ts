import type { ServerResponse } from "node:http";
import { anonymous, type Caller } from "@assistant/kit/caller/caller.js";
import type { Verifier } from "@assistant/kit/caller/verifier.js";
import type { Log } from "@assistant/kit/process/log.js";
import { Fault } from "@assistant/kit/wire/fault.js";
import type { Request, Response } from "express";
import { logWhenDone } from "./access-log.js";
import { answerProblem, type CommonHeaders } from "./answer.js";
import { triesBasic } from "./basic.js";
import { type Exchange, openExchange } from "./exchange.js";
import { readBearer } from "./headers.js";
import { invalidTokenRequest, problemOf, unauthenticated } from "./problem.js";
import { rateKeyOf } from "./rate-key.js";
import { fullWindow, type Rates, rateHeaders, type Window } from "./rates.js";
import { refusal } from "./refusal.js";
import type { RateClass } from "./route.js";
import { whatIsWrong } from "./token-request.js";

/** What stands before every row: who asks, and may they ask that often. */
export interface GateOptions {
  readonly verifier: Verifier;
  readonly rates: Rates;
  readonly commonHeaders: CommonHeaders;
  readonly log: Log;
}

/** How one kind of request passes the gate. */
export interface Passage {
  /** The path of the row, for the log; undefined: there is none. */
  readonly route: string | undefined;
  readonly open: boolean;
  readonly rate: RateClass;
  /** Speaks RFC 6749 when something goes wrong. */
  readonly form: boolean;
  handle(exchange: Exchange, request: Request): Promise<void>;
}

export type Gate = (passage: Passage) => (request: Request, response: Response) => Promise<void>;

/** In this order: request id and trace, bearer (401), rate (429), and then what the passage is for. */
export function createGate(options: GateOptions): Gate {
  const { verifier, rates, commonHeaders, log } = options;
  return (passage) => async (request, response) => {
    const exchange = openExchange(request, response);
    exchange.route = passage.route;
    commonHeaders(exchange);
    logWhenDone(exchange, log);
    try {
      const caller = passage.open ? anonymous : await authenticate(exchange, verifier);
      exchange.caller = caller;
      tellWindow(response, await rates.take(passage.rate, keyOf(caller, request)));
      await passage.handle(exchange, request);
    } catch (error) {
      fail(error, exchange, passage, log);
    }
  };
}

async function authenticate(exchange: Exchange, verifier: Verifier): Promise<Caller> {
  const { token, tried } = readBearer(exchange.request.headers.authorization);
  if (token === undefined) throw refusal(unauthenticated(tried));
  return verifier.verify(token, exchange);
}

/** Whoever has no name yet is counted by address. */
function keyOf({ principalId }: Caller, { ip }: Request): string {
  return principalId === "" ? rateKeyOf(ip) : principalId;
}

function tellWindow(response: ServerResponse, window: Window): void {
  for (const [name, value] of Object.entries(rateHeaders(window))) response.setHeader(name, value);
}

function fail(error: unknown, exchange: Exchange, { form }: Passage, log: Log): void {
  const { request, response, requestId } = exchange;
  // Nobody is there to be told, and nothing went wrong here.
  if (exchange.signal.aborted) return;
  const window = fullWindow(error);
  if (window !== undefined) tellWindow(response, window);
  const { "if-match": ifMatch, authorization } = request.headers;
  const isBasic = triesBasic(authorization);
  const problem = problemOf(error, { requestId, ifMatch, isBasic, locate: exchange.locate });
  if (problem.status >= 500) log.error({ err: error, request_id: requestId, route: exchange.route }, "request failed");
  const isUnjudged = form && BROKEN.has(problem.status) && !(error instanceof Fault && error.kind === "refused");
  answerProblem(response, isUnjudged ? invalidTokenRequest(whatIsWrong(problem.detail)) : problem, form);
}

/** What RFC 6749 knows only as `invalid_request`. */
const BROKEN = new Set([400, 415, 422]);
