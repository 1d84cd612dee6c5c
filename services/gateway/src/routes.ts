import { catalogRoutes } from "./routes/catalog.js";
import { contextsRoutes } from "./routes/contexts.js";
import { conversionRoutes } from "./routes/conversion.js";
import { guidedFieldsRoutes } from "./routes/guided-fields.js";
import { identityRoutes } from "./routes/identity.js";
import { knowledgeRoutes } from "./routes/knowledge.js";
import { linksRoutes } from "./routes/links.js";
import { profileRoutes } from "./routes/profile.js";
import { samlRoutes } from "./routes/saml.js";
import { settingsRoutes } from "./routes/settings.js";
import type { AnyRoute } from "./upload-route.js";

/** The public face of the platform: one row for each operation, in the order of the document. */
export const routes: readonly AnyRoute[] = [
  ...identityRoutes,
  ...linksRoutes,
  ...samlRoutes,
  ...profileRoutes,
  ...settingsRoutes,
  ...catalogRoutes,
  ...guidedFieldsRoutes,
  ...knowledgeRoutes,
  ...contextsRoutes,
  ...conversionRoutes,
];
