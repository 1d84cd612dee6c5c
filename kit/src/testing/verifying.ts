import { CallersServiceService, type JsonWebKey } from "@assistant/proto/assistant/common/v1/callers.js";
import { anonymous } from "../caller/caller.js";
import { watchRevocations } from "../caller/revocations.js";
import { createVerifier, type Verifier } from "../caller/verifier.js";
import { openNotices } from "../events/open-notices.js";
import { createLog } from "../process/log.js";
import { testPostgresUrl } from "../testing.js";
import { dial } from "../wire/dial.js";
import { type Server, serve, served } from "../wire/serve.js";
import { AUDIENCE, ISSUER } from "./signer.js";
import { until } from "./until.js";

const quiet = createLog("test", "0", "silent");

/** An identity behind real gRPC: its keys can be changed, it can go and come back. */
export interface Identity {
  readonly keys: JsonWebKey[];
  readonly askedFor: string[];
  fetches: number;
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export interface Verifying {
  readonly verifier: Verifier;
  readonly identity: Identity;
  /** Puts the verifier's clock forward. */
  readonly pass: (ms: number) => void;
  close(): Promise<void>;
}

/** A verifier with an identity of its own behind real gRPC, and a clock to put forward. */
export async function startVerifying(...keys: readonly JsonWebKey[]): Promise<Verifying> {
  const identity: Identity = {
    keys: [...keys],
    askedFor: [],
    fetches: 0,
    stop: () => server.stop(0),
    restart: async () => {
      server = await serveCallers(identity, `127.0.0.1:${port}`);
    },
  };
  let server = await serveCallers(identity, "127.0.0.1:0");
  const { port } = server;
  const peer = dial({ from: "friend", to: "identity", address: `127.0.0.1:${port}` });
  const notices = openNotices({ name: "friend", postgresUrl: testPostgresUrl(), log: quiet });
  const revocations = watchRevocations({ identity: peer, notices, log: quiet });
  await until(() => revocations.isKnown());
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  return {
    identity,
    verifier: createVerifier({ identity: peer, revocations, issuer: ISSUER, audience: AUDIENCE, clock, log: quiet }),
    pass: (ms) => {
      aheadMs += ms;
    },
    close: async () => {
      await revocations.close();
      await notices.close();
      peer.close();
      return server.stop(0);
    },
  };
}

function serveCallers(identity: Identity, listen: string): Promise<Server> {
  const service = served(
    CallersServiceService,
    {
      getKeys: async () => {
        identity.fetches += 1;
        return { keys: identity.keys };
      },
      listRevocations: async () => ({ revocations: { sessions: [], principals: [] } }),
      getCaller: async (_, { caller }) => {
        identity.askedFor.push(caller.token);
        return { group_ids: ["grp_1", "grp_65"], managed_group_ids: ["grp_1"] };
      },
    },
    ["getKeys", "listRevocations"],
  );
  return serve({
    name: "identity",
    listen,
    services: [service],
    verifier: { verify: async (token) => ({ ...anonymous, token }) },
    allowedCallers: ["friend"],
    log: quiet,
  });
}
