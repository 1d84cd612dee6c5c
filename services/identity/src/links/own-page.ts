import type { Request } from "express";

/**
 * Whether a form was sent by a page of ours. Browsers always say where a form comes from, and no other site can make
 * them say otherwise; from pages that send no referrer they say `null`, and `Sec-Fetch-Site` has to tell.
 */
export function isFromOwnPage(request: Request, publicUrl: string): boolean {
  const origin = request.get("origin");
  const site = request.get("sec-fetch-site");
  if (origin === "null") {
    return site === OWN;
  }
  return origin === new URL(publicUrl).origin && (site === undefined || site === OWN);
}

const OWN = "same-origin";
