import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { codeOf } from "./problem.mjs";

// Below the ports that systems hand out to outgoing connections: those would take a remembered one away.
const FIRST_PORT = 20_000;
const PORT_COUNT = 10_000;
const ATTEMPTS = 100;

/** Whose each port is: somebody it was given to may not listen yet. @type {Map<number, string>} */
const given = new Map();

/**
 * A port of loopback that nobody listens on, noted in a file so that the next start takes the same one.
 *
 * @param {string} file
 * @returns {Promise<number>}
 */
export async function rememberedPort(file) {
  const noted = await notedPort(file);
  const isOurs = noted !== undefined && (given.get(noted) ?? file) === file && (await isFree(noted));
  const port = isOurs ? noted : await freePort();
  given.set(port, file);
  if (port === noted) return port;
  await writeFile(file, `${port}\n`);
  return port;
}

/** @returns {Promise<number>} */
async function freePort() {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    if (!given.has(port) && (await isFree(port))) return port;
  }
  throw new Error(`no free port among ${ATTEMPTS} tried`);
}

/**
 * @param {number} port
 * @param {string} [host]
 * @returns {Promise<boolean>}
 */
export async function isFree(port, host = "127.0.0.1") {
  const server = createServer();
  try {
    await new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, host, exclusive: true }, () => resolve(undefined));
    });
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE") return false;
    throw error;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/** @param {string} file */
async function notedPort(file) {
  try {
    const port = Number(await readFile(file, "utf8"));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
