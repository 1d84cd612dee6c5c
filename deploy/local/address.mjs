import { isFree } from "./ports.mjs";
import { codeOf, problem } from "./problem.mjs";

/**
 * Where this machine reaches what listens on an address of its own.
 *
 * @param {string} bind
 * @param {number} port
 */
export function urlAt(bind, port) {
  const host = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[bind] ?? (bind.includes(":") ? `[${bind}]` : bind);
  return `http://${host}:${port}`;
}

/**
 * Host and port of a server, without the password that its URL may hold. Several may be named, as NATS allows.
 *
 * @param {string} urls
 */
export function hostOf(urls) {
  const hosts = urls.split(",").map((url) => (URL.canParse(url) ? new URL(url).host : url));
  return hosts.join(", ");
}

/**
 * Tells before anything is started why the gateway could not listen there.
 *
 * @param {string} bind
 * @param {number} port
 */
export async function checkFree(bind, port) {
  let isPortFree = false;
  try {
    isPortFree = await isFree(port, bind);
  } catch (error) {
    if (codeOf(error) === "EACCES")
      throw problem(`No right to listen on port ${port}: choose one from 1024 on with --port N.`);
    if (["EADDRNOTAVAIL", "ENOTFOUND", "EINVAL"].includes(codeOf(error) ?? "")) {
      throw problem(`${bind} is no address of this machine: choose another with --bind ADDR.`, error);
    }
    throw error;
  }
  if (!isPortFree) throw problem(`Port ${port} is in use: end what listens there, or choose another with --port N.`);
}
