import ipaddr from "ipaddr.js";

/** Whether a text is a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text);
}

/** Whether anybody on the internet may have an address: it is not of a private, local or special network. */
export function isPublicAddress(text: string): boolean {
  // `process` takes the IPv4 address out of one like ::ffff:127.0.0.1.
  return ipaddr.isValid(text) && isGlobal(ipaddr.process(text));
}

export function isInNetwork(text: string, network: string): boolean {
  const address = ipaddr.process(text);
  const [start, bits] = ipaddr.parseCIDR(network);
  return address.kind() === start.kind() && address.match(start, bits);
}

// Of IPv6 only this part is given out; what is outside may still be taken for an IPv4 address.
const GIVEN_OUT: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

function isGlobal(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.range() === "unicast" && (address.kind() === "ipv4" || address.match(GIVEN_OUT));
}
