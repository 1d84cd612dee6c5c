import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { problem } from "./problem.mjs";

/**
 * The public API for one token.
 *
 * @typedef {Record<string, unknown>} Resource
 * @typedef {{
 *   list: (path: string, query?: Record<string, string>) => Promise<Resource[]>,
 *   create: (path: string, body: Resource) => Promise<Resource>,
 *   put: (path: string, body: Resource) => Promise<Resource>,
 * }} Rest
 */

const TIMEOUT_MS = 15_000;
const PAGE_SIZE = "200";
const RETRIES_AFTER_MS = [100, 500, 1_000, 2_000];
const PASSING = new Set([429, 502, 503, 504]);

/**
 * @param {{ url: string, token: string }} platform
 * @returns {Rest}
 */
export function openRest({ url, token }) {
  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: string, headers?: Record<string, string> }} [content]
   * @returns {Promise<Resource>}
   */
  const ask = async (method, path, { body, headers } = {}) => {
    const request = { method, ...(body && { body }), headers: { authorization: `Bearer ${token}`, ...headers } };
    const response = await patiently(`${url}${path}`, request);
    const text = await response.text();
    if (!response.ok) {
      throw problem(
        `The demo data cannot be loaded: ${method} ${path} answers ${response.status} ${text.slice(0, 500)}`,
      );
    }
    return JSON.parse(text);
  };

  return {
    async list(path, query = {}) {
      /** @type {Resource[]} */
      const found = [];
      /** @type {Record<string, string>} */
      let place = {};
      do {
        const search = new URLSearchParams({ ...query, ...place, page_size: PAGE_SIZE });
        const page = await ask("GET", `${path}?${search.toString()}`);
        if (Array.isArray(page.items)) found.push(...page.items);
        place = typeof page.next_page_token === "string" ? { page_token: page.next_page_token } : {};
      } while (place.page_token !== undefined);
      return found;
    },
    create: (path, body) =>
      ask("POST", path, {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", "idempotency-key": randomUUID() },
      }),
    put: (path, body) =>
      ask("PUT", path, { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  };
}

/**
 * Sends a request again while the platform, which may just be starting, cannot take it. Creating is safe to repeat by
 * its key.
 *
 * @param {string} address
 * @param {RequestInit} request
 * @returns {Promise<Response>}
 */
async function patiently(address, request) {
  for (const delayMs of RETRIES_AFTER_MS) {
    const response = await send(address, request).catch((error) => {
      // Nobody listens yet, or the connection broke: the last try below says which.
      if (error instanceof Error) return undefined;
      throw error;
    });
    if (response !== undefined && !PASSING.has(response.status)) return response;
    await response?.body?.cancel();
    await sleep(delayMs);
  }
  return send(address, request).catch((error) => {
    throw problem(`The demo data cannot be loaded: ${address} does not answer`, error);
  });
}

/**
 * @param {string} address
 * @param {RequestInit} request
 */
function send(address, request) {
  return fetch(address, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) });
}
