import type { Client } from "./call.js";

/** Who sent a request, as far as it is kept: no more than fits, and nothing that would steer the terminal it is shown on. */
export function clientOf({ address, userAgent }: Client): Client {
  return { address: cut(address, ADDRESS_MAX), userAgent: cut(userAgent, USER_AGENT_MAX) };
}

const ADDRESS_MAX = 64;
const USER_AGENT_MAX = 512;

function cut(text: string, lengthMax: number): string {
  return Array.from(text.replaceAll(/\p{Cc}/gu, ""))
    .slice(0, lengthMax)
    .join("");
}
