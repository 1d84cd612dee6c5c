import ipaddr from "ipaddr.js";

/** Whether a text is a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text);
}

/** Whether anybody on the internet may have an address: it is not of a private, local or special network. */
export function isPublicAddress(text: string): boolean {
  // `process` takes the IPv4 address out of one like ::ffff:127.0.0.1.
  return ipaddr.isValid(text) && ipaddr.process(text).range() === "unicast";
}

export function isInNetwork(text: string, network: string): boolean {
  const address = ipaddr.process(text);
  const [start, bits] = ipaddr.parseCIDR(network);
  return address.kind() === start.kind() && address.match(start, bits);
}
