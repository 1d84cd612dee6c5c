import { lookup as resolve } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent } from "undici";
import { isInNetwork, isPublicAddress } from "./network.js";

/** Decides which addresses we connect to on behalf of those who may only tell us names. */
export interface Egress {
  /** Connects to allowed addresses only, whatever a name resolves to at that moment. */
  readonly dispatcher: Agent;
  /** Whether a host may be asked at all: a name may, its addresses are looked at when it is connected to. */
  allowsHost(hostname: string): boolean;
  close(): Promise<void>;
}

/**
 * Public addresses are allowed, and the networks that the operator names: nobody else may make this service knock on
 * doors inside. Names are resolved and judged by the connection itself, so that no second answer of a resolver counts.
 */
export function openEgress(allowedNetworks: readonly string[]): Egress {
  const allows = (address: string) =>
    isPublicAddress(address) || allowedNetworks.some((network) => isInNetwork(address, network));
  const guardedLookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const refused = error ?? (addresses.every(({ address }) => allows(address)) ? null : notAllowed(hostname));
      const [first] = addresses ?? [];
      if (refused !== null || first === undefined) {
        callback(refused ?? notAllowed(hostname), "", 0);
      } else if (options.all) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
  const dispatcher = new Agent({
    connect: { lookup: guardedLookup, timeout: CONNECT_MS },
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
    maxHeaderSize: HEADER_MAX_BYTES,
    maxResponseSize: RESPONSE_MAX_BYTES,
  });
  return {
    dispatcher,
    // An address in place of a name is connected to without any look-up.
    allowsHost: (hostname) => {
      const plain = hostname.replace(/^\[|\]$/g, "");
      return !ipaddr.isValid(plain) || allows(plain);
    },
    close: () => dispatcher.close(),
  };
}

const CONNECT_MS = 3_000;
// Each fetch has a shorter limit of its own.
const ANSWER_MS = 10_000;
const HEADER_MAX_BYTES = 16_384;
const RESPONSE_MAX_BYTES = 1_048_576;

function notAllowed(hostname: string): Error {
  return new Error(`${hostname} is not at a public address`);
}
