import { createLog, type Log } from "../process/log.js";
import { dial, type Peer } from "../wire/dial.js";
import { probeRegistry, startProbe } from "./probe.js";
import { tap, type Wiretap } from "./wiretap.js";

/** The probes, peers and networks of a test file. */
export interface Probing {
  readonly start: typeof startProbe;
  peerAt(address: string, log?: Log): Peer;
  tapAt(port: number): Promise<Wiretap>;
  /** Ends them all, the last first; for after each test. */
  end(): Promise<void>;
}

export function probing(): Probing {
  const ending: (() => unknown)[] = [];
  return {
    async start(handlers, options) {
      const probe = await startProbe(handlers, options);
      ending.push(() => probe.server.stop(0));
      return probe;
    },
    peerAt(address, log = createLog("test", "0", "silent")) {
      const peer = dial({ from: "friend", to: "probe", address, registry: probeRegistry, log });
      ending.push(() => peer.close());
      return peer;
    },
    async tapAt(port) {
      const network = await tap(port);
      ending.push(() => network.close());
      return network;
    },
    async end() {
      for (const end of ending.splice(0).reverse()) {
        await end();
      }
    },
  };
}
