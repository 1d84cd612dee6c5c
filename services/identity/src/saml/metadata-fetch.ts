import { fetch, type Response } from "undici";
import type { Egress } from "./egress.js";
import { providerUrlProblem } from "./provider-url.js";

/** Fetches what identity providers publish. */
export type FetchMetadata = (url: string) => Promise<Fetched>;

/** What was found under an address, or in a few words why nothing was. */
export type Fetched = { ok: true; xml: string } | { ok: false; failure: string };

/**
 * Fetches metadata without being led astray: over https, from public addresses only, a few redirects, none of them away
 * from https, and never more or longer than a document of this kind may take.
 */
export function metadataFetch(egress: Egress): FetchMetadata {
  return async (url) => {
    const signal = AbortSignal.timeout(LIMIT_MS);
    try {
      return { ok: true, xml: await fetchText(egress, url, signal) };
    } catch (error) {
      return { ok: false, failure: failureOf(error, signal) };
    }
  };
}

const LIMIT_MS = 5_000;
const REDIRECTS_MAX = 5;
const METADATA_MAX_BYTES = 102_400;

async function fetchText(egress: Egress, start: string, signal: AbortSignal): Promise<string> {
  let url = new URL(start);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    requireAllowed(egress, url);
    const headers = { accept: "application/samlmetadata+xml, application/xml;q=0.9, text/xml;q=0.8" };
    const response = await fetch(url, { dispatcher: egress.dispatcher, redirect: "manual", headers, signal });
    const location = isRedirect(response) ? response.headers.get("location") : null;
    if (location === null) {
      return readText(response);
    }
    await response.body?.cancel();
    url = nextUrl(url, location);
  }
  throw unusable("The address redirects too often");
}

function requireAllowed(egress: Egress, url: URL): void {
  const problem = providerUrlProblem(url.href);
  if (problem !== undefined) {
    throw unusable(problem);
  }
  if (!egress.allowsHost(url.hostname)) {
    throw unusable("The address is not public");
  }
}

function isRedirect({ status }: Response): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function nextUrl(from: URL, location: string): URL {
  if (!URL.canParse(location, from)) {
    throw unusable("The address redirects to nowhere");
  }
  const next = new URL(location, from);
  if (from.protocol === "https:" && next.protocol !== "https:") {
    throw unusable("The address redirects away from https");
  }
  return next;
}

async function readText(response: Response): Promise<string> {
  if (response.status !== 200) {
    await response.body?.cancel();
    throw unusable(`The address answers ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > METADATA_MAX_BYTES) {
      throw unusable(`The metadata has more than ${METADATA_MAX_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unusable("The metadata is not UTF-8");
  }
}

// What the network says may describe what stands inside; only our own words go out.
function failureOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof Error && "isForAdmins" in error) {
    return error.message;
  }
  return signal.aborted ? "The address did not answer in time" : "The address could not be reached";
}

/** A failure in words for the admin who gave the address. */
function unusable(text: string): Error {
  return Object.assign(new Error(text), { isForAdmins: true });
}
