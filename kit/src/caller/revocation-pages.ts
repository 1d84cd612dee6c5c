import { CallersServiceService, type Revocations } from "@assistant/proto/assistant/common/v1/callers.js";
import type { Call } from "../wire/call.js";
import type { Peer } from "../wire/dial.js";
import { newTraceparent, takeRequestId } from "../wire/trace.js";
import { anonymous } from "./caller.js";

/** Asks identity for all revocations there are, page by page. */
export async function loadRevocations(identity: Peer, take: (page: Revocations) => void): Promise<void> {
  let pageToken: string | undefined;
  do {
    const { listRevocations } = CallersServiceService;
    const page = await identity.call(listRevocations, { page_token: pageToken }, askingCall());
    if (page.revocations !== undefined) {
      take(page.revocations);
    }
    pageToken = page.next_page_token;
  } while (pageToken !== undefined);
}

const ASK_MS = 2_000;

function askingCall(): Call {
  return {
    rpc: CallersServiceService.listRevocations.path,
    caller: anonymous,
    deadlineMs: Date.now() + ASK_MS,
    signal: AbortSignal.timeout(ASK_MS),
    requestId: takeRequestId(undefined),
    traceparent: newTraceparent(),
    reply: {},
  };
}
