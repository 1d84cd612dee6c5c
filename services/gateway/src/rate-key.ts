import ipaddr from "ipaddr.js";

/**
 * Whom an address is counted as. A network of 64 bits is the least that anybody gets of IPv6: who has one has all of its
 * addresses, and would else have a window for each.
 */
export function rateKeyOf(address: string | undefined): string {
  const bare = (address ?? "").replace(WITH_PORT, "$1$2");
  // What a proxy puts in place of an address is nobody: all of them are counted as one.
  if (!ipaddr.isValid(bare)) return "";
  const parsed = ipaddr.process(bare);
  return parsed.kind() === "ipv4" ? parsed.toString() : networkOf(parsed.toByteArray());
}

/** Some proxies name the port as well. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/;

const NETWORK_BYTES = 8;

function networkOf(bytes: readonly number[]): string {
  return ipaddr.fromByteArray(bytes.map((byte, at) => (at < NETWORK_BYTES ? byte : 0))).toString();
}
