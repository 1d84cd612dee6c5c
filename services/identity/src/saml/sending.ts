import type { Request, Response } from "express";
import { isFromOwnPage as isSentByOwnPage } from "../links/own-page.js";
import type { FlowParts } from "./flow.js";
import { type OutgoingMessage, postFields, redirectUrl } from "./protocol/messages.js";
import type { Binding } from "./protocol/protocol.js";

/** Leads the browser to an identity provider with a signed message. */
export async function sendMessage(
  { pages, spKeys, publicUrl }: FlowParts,
  request: Request,
  response: Response,
  { message, binding, relayState }: { message: OutgoingMessage; binding: Binding; relayState: string | undefined },
): Promise<void> {
  const key = await spKeys.signer();
  response.setHeader("Cache-Control", "no-store");
  if (binding === "post") {
    const fields = postFields(message, relayState, key);
    pages.postForm(request, response, { action: message.destination, fields });
    return;
  }
  const url = redirectUrl(message, relayState, key);
  if (isFromOwnPage(request, publicUrl)) {
    pages.leave(request, response, url);
  } else {
    response.redirect(303, url);
  }
}

// A form that asks by GET names no origin.
function isFromOwnPage(request: Request, publicUrl: string): boolean {
  return request.get("sec-fetch-site") === "same-origin" || isSentByOwnPage(request, publicUrl);
}
