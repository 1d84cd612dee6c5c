import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between a client and a server on TCP and plays the network's faults. */
export interface Wiretap {
  readonly address: string;
  /** Cuts every connection at once, as a killed process does, and takes no new ones. */
  cut(): void;
  /** Takes connections again. */
  mend(): void;
  /** Holds everything back from now on, as a frozen process does. */
  freeze(): void;
  close(): Promise<void>;
}

export async function tap(port: number): Promise<Wiretap> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.once("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      // A reset is what this is for; the close that follows is handled above.
      from.on("error", () => from.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) {
      socket.resetAndDestroy();
    }
  };
  return {
    // A server that listens on TCP has an address with a port.
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      isCut = false;
    },
    freeze: () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
