import { CallersServiceService, type Revocations as Told } from "@assistant/proto/assistant/common/v1/callers.js";
import { anonymous } from "../caller/caller.js";
import { REVOKED, writeRevocations } from "../caller/revocation-notice.js";
import { type Revocations, watchRevocations } from "../caller/revocations.js";
import type { Notices } from "../events/notices.js";
import { openNotices } from "../events/open-notices.js";
import { createTestDatabase, quiet } from "../testing.js";
import { dial } from "../wire/dial.js";
import { type Server, serve, served } from "../wire/serve.js";
import { cutConnections } from "./cut-connections.js";
import { faultOf } from "./faults.js";
import { until } from "./until.js";

/** An identity whose list of revocations a test holds in its hands, behind real gRPC, and one that watches it. */
export interface Revoking {
  readonly revocations: Revocations;
  /** What identity lists, page by page. */
  readonly pages: Told[];
  /** How often the first page was asked for. */
  loads: number;
  /** Awaited before each page is answered, once it is known what will be. */
  hold: () => Promise<void>;
  /** Tells everybody, as identity does. */
  tell(told: Partial<Told>): Promise<void>;
  tellText(text: string): Promise<void>;
  /** Cuts the listener off; answers once it listens again. */
  reopen(): Promise<void>;
  /** How often the listener found since then that it still listens. */
  probes(): number;
  /** Puts the clock of the one that watches forward. */
  pass(ms: number): void;
  stopIdentity(): Promise<void>;
  restartIdentity(): Promise<void>;
  close(): Promise<void>;
}

export interface RevokingOptions {
  readonly reloadMs?: number;
  /** Nobody can tell anything. */
  readonly isMute?: boolean;
  /** Identity is not there yet. */
  readonly isAlone?: boolean;
}

export async function startRevoking({ reloadMs = 60_000, isMute, isAlone }: RevokingOptions = {}): Promise<Revoking> {
  const database = await createTestDatabase({});
  let server = await servePages(() => revoking);
  const { port } = server;
  if (isAlone) await server.stop(0);
  const identity = dial({ from: "friend", to: "identity", address: `127.0.0.1:${port}`, log: quiet });
  const teller = openNotices({ name: "identity", postgresUrl: database.url, log: quiet });
  const postgresUrl = isMute ? "postgres://nobody@127.0.0.1:9/nowhere" : database.url;
  const notices = openNotices({ name: "friend", postgresUrl, log: quiet, probeMs: PROBE_MS });
  const counts = { openings: 0, probes: 0 };
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const tell = async (texts: readonly string[]) => {
    // A connection that was cut is found out by using it.
    await until(async () => (await faultOf(teller.tell(REVOKED, texts))) === undefined);
  };
  const revoking: Revoking = {
    pages: [],
    loads: 0,
    hold: async () => undefined,
    revocations: watchRevocations({ identity, notices: counting(notices, counts), log: quiet, clock, reloadMs }),
    tell: (told) => tell(writeRevocations({ sessions: [], principals: [], ...told })),
    tellText: (text) => tell([text]),
    async reopen() {
      const { openings } = counts;
      await cutConnections(database.url);
      await until(() => counts.openings > openings);
      counts.probes = 0;
    },
    probes: () => counts.probes,
    pass: (ms) => {
      aheadMs += ms;
    },
    stopIdentity: () => server.stop(0),
    restartIdentity: async () => {
      server = await servePages(() => revoking, `127.0.0.1:${port}`);
    },
    async close() {
      await revoking.revocations.close();
      await Promise.all([notices.close(), teller.close()]);
      identity.close();
      await server.stop(0);
      await database.close();
    },
  };
  return revoking;
}

const PROBE_MS = 20;

/** The same notices, with a count of what the listener is told of the channel. */
function counting(notices: Notices, counts: { openings: number; probes: number }): Notices {
  return {
    ...notices,
    listen: (subject, listener) =>
      notices.listen(subject, {
        ...listener,
        opened() {
          listener.opened();
          counts.openings += 1;
        },
        alive() {
          listener.alive();
          counts.probes += 1;
        },
      }),
  };
}

function servePages(revoking: () => Revoking, listen = "127.0.0.1:0"): Promise<Server> {
  const { listRevocations } = CallersServiceService;
  const handlers = {
    listRevocations: async ({ page_token = "0" }: { page_token?: string | undefined }) => {
      const at = Number(page_token);
      const { pages, hold } = revoking();
      if (at === 0) revoking().loads += 1;
      const revocations = pages[at] && { sessions: [...pages[at].sessions], principals: [...pages[at].principals] };
      await hold();
      return { revocations, next_page_token: at + 1 < pages.length ? String(at + 1) : undefined };
    },
  };
  return serve({
    name: "identity",
    listen,
    services: [served({ listRevocations }, handlers, ["listRevocations"])],
    verifier: { verify: async (token) => ({ ...anonymous, token }) },
    allowedCallers: ["friend"],
    log: quiet,
  });
}
