import type { Route } from "./route.js";
import { contextsRoutes } from "./routes/contexts.js";
import { identityRoutes } from "./routes/identity.js";

/** The public face of the platform: one row for each operation, in the order of the document. */
export const routes: readonly Route[] = [...identityRoutes, ...contextsRoutes];
