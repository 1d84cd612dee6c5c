import type { Peer } from "@assistant/kit/wire/dial.js";
import { allowBody } from "./body-time.js";
import { answerDownload } from "./download.js";
import type { Exchange } from "./exchange.js";
import { checkForm } from "./form-check.js";
import { isStrict } from "./headers.js";
import { createCall } from "./outgoing-call.js";
import { queryOf } from "./query.js";
import { refusalFor } from "./refusal.js";
import { failuresOf } from "./request-check.js";
import { createSending, type Sending } from "./sending.js";
import { receiveForm } from "./upload-body.js";
import type { UploadLimits } from "./upload-limits.js";
import type { UploadOperation } from "./upload-operation.js";

export interface UploadTask {
  readonly operation: UploadOperation;
  readonly peer: Peer;
  readonly exchange: Exchange;
  readonly limits: UploadLimits;
}

/**
 * Sends the part `file` of a form to the service while it arrives, and answers what comes back. Nothing is answered before
 * the whole body was read and found good, but what no body could change: too large, or nobody there to convert it.
 */
export async function forwardUpload(task: UploadTask): Promise<void> {
  const { operation, peer, exchange, limits } = task;
  const { rpc } = operation.route;
  // A slow line is no slow service: the time to convert begins when the upload is through.
  const call = createCall(exchange, rpc.path, Date.now() + limits.arrivalMs + limits.answerMs);
  const sending = createSending({ peer, rpc, call, whole: () => whole });
  const whole = receive(task, sending);
  try {
    await Promise.race([whole, sending.brokenOff]);
    const download = await sending.download(limits.answerMs);
    if (isStrict(exchange.request.headers["prefer"])) {
      exchange.response.setHeader("Preference-Applied", "handling=strict");
    }
    await answerDownload(exchange, download);
  } catch (error) {
    allowBody(exchange.request, limits.lingerMs);
    throw error;
  } finally {
    sending.drop();
  }
}

/** Throws a Refusal unless the body is what it should be. */
async function receive({ operation, exchange, limits }: UploadTask, sending: Sending): Promise<void> {
  const { request } = exchange;
  const strict = isStrict(request.headers["prefer"]);
  const wrongQuery = operation.checkQuery(queryOf(request.url), strict);
  allowBody(request, limits.arrivalMs);
  const parts = await receiveForm(exchange, limits, {
    onFile: (file) => {
      // A file that nobody will convert is read all the same: a broken body comes before a wrong query.
      if (wrongQuery.located.length > 0) file.bytes.resume();
      else sending.start(file);
    },
    onText: sending.drop,
  });
  const wrong = failuresOf(wrongQuery, checkForm(parts, strict, operation.showInput));
  if (wrong.length > 0) throw refusalFor(422, ...wrong);
}
