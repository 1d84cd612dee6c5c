import type { Verifier } from "@assistant/kit/caller/verifier.js";
import type { Log } from "@assistant/kit/process/log.js";
import type { Peer } from "@assistant/kit/wire/dial.js";
import type { FileRegistry } from "@bufbuild/protobuf";
import { createCommonHeaders } from "./answer.js";
import { createFastExpress, type FastExpress } from "./fast-express.js";
import { createGate } from "./gate.js";
import type { Health } from "./health.js";
import { createDocument } from "./openapi.js";
import type { Page } from "./page.js";
import { createPageRouter } from "./page-router.js";
import type { Rates } from "./rates.js";
import { ownerOf } from "./row-owner.js";
import { createRowRouter } from "./row-router.js";
import type { Schemas } from "./schema.js";
import { createSystemRouter } from "./system-router.js";
import type { UploadLimits } from "./upload-limits.js";
import { createAnyOperation } from "./upload-operation.js";
import type { AnyRoute } from "./upload-route.js";
import { createWorkshop } from "./workshop.js";

export interface AppOptions {
  readonly routes: readonly AnyRoute[];
  readonly uploads: UploadLimits;
  readonly pages: readonly Page[];
  /** Where identity serves its pages. */
  readonly pagesUrl: string;
  /** How long identity may be silent over a page; absent: 10 s. */
  readonly pageSilenceMs?: number;
  readonly registry: FileRegistry;
  readonly schemas: Schemas;
  readonly peers: readonly Peer[];
  readonly verifier: Verifier;
  readonly rates: Rates;
  readonly health: Health;
  readonly publicUrl: string;
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly version: string;
  readonly log: Log;
}

/** The public face of the platform as an Express app. */
export function createApp(options: AppOptions): FastExpress {
  const { verifier, rates, log, health, schemas } = options;
  const isBehindTls = options.publicUrl.startsWith("https:");
  const commonHeaders = createCommonHeaders({ corsOrigins: options.corsOrigins, isBehindTls });
  const workshop = createWorkshop(options.registry, schemas);
  const operations = options.routes.map((route) => createAnyOperation(route, workshop));
  const gate = createGate({ verifier, rates, commonHeaders, log });
  const peers = new Map(options.peers.map((peer) => [peer.name, peer]));
  const fast = createFastExpress();
  fast.app.set("trust proxy", [...options.trustedProxies]);
  const document = createDocument(operations, options.pages, schemas, options.version);
  fast.app.use(createSystemRouter({ health, document, commonHeaders }));
  // Before everything that reads bodies: what was read cannot be handed on.
  fast.app.use(createPageRouter({ ...options, gate, commonHeaders }));
  fast.app.use(
    createRowRouter({
      operations,
      uploads: options.uploads,
      gate,
      commonHeaders,
      peerOf: (operation) => {
        const peer = peers.get(ownerOf(operation));
        if (peer === undefined) throw new Error(`nobody serves ${operation.route.rpc.path}`);
        return peer;
      },
    }),
  );
  return fast;
}
