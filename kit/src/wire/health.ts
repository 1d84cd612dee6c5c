import {
  type HealthCheckRequest,
  type HealthCheckResponse,
  type HealthServer,
  HealthService,
  type HealthCheckResponse_ServingStatus as ServingStatus,
} from "@assistant/proto/grpc/health/v1/health.js";
import { type Server, type ServerWritableStream, status } from "@grpc/grpc-js";

/** grpc.health.v1: `""` says that the process lives, `ready` that it may be sent work. Needs no token. */
export interface Health {
  set(name: "" | "ready", serving: boolean): void;
  /** Says NOT_SERVING everywhere and lets the watchers go: an open stream would hold up the drain. */
  drain(): void;
}

export function addHealth(server: Server): Health {
  const statuses = new Map<string, ServingStatus>([
    ["", "SERVING"],
    ["ready", "NOT_SERVING"],
  ]);
  const watchers = new Set<Watcher>();
  server.addService(HealthService, handlersOf(statuses, watchers));
  const set = (name: string, serving: boolean) => {
    const next = serving ? "SERVING" : "NOT_SERVING";
    if (statuses.get(name) !== next) {
      statuses.set(name, next);
      const concerned = [...watchers].filter((watcher) => watcher.request.service === name);
      for (const watcher of concerned) {
        watcher.write({ status: next });
      }
    }
  };
  return {
    set,
    drain: () => {
      for (const name of statuses.keys()) {
        set(name, false);
      }
      for (const watcher of watchers) {
        watcher.end();
      }
      watchers.clear();
    },
  };
}

type Watcher = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

const WATCHERS_MAX = 1_000;

function handlersOf(statuses: ReadonlyMap<string, ServingStatus>, watchers: Set<Watcher>): HealthServer {
  return {
    check: (call, respond) => {
      const known = statuses.get(call.request.service);
      if (known === undefined) {
        respond({ code: status.NOT_FOUND, details: "unknown service" });
      } else {
        respond(null, { status: known });
      }
    },
    list: (_call, respond) => {
      respond(null, { statuses: Object.fromEntries([...statuses].map(([name, known]) => [name, { status: known }])) });
    },
    watch: (watcher) => {
      if (watchers.size >= WATCHERS_MAX) {
        watcher.emit("error", { code: status.RESOURCE_EXHAUSTED, details: "too many watchers" });
        return;
      }
      watchers.add(watcher);
      watcher.once("cancelled", () => watchers.delete(watcher));
      watcher.write({ status: statuses.get(watcher.request.service) ?? "SERVICE_UNKNOWN" });
    },
  };
}
