import { platformRegistry } from "@assistant/kit/rules/descriptor.js";
import { createDocument } from "./openapi.js";
import { pages } from "./routes/pages.js";
import { routes } from "./routes.js";
import { platformSchemas } from "./schemas.js";
import { createAnyOperation } from "./upload-operation.js";
import { createWorkshop } from "./workshop.js";

// Prints the API document without starting anything: `node dist/openapi-print.js > openapi.json`.
const schemas = platformSchemas();
const workshop = createWorkshop(platformRegistry(), schemas);
const operations = routes.map((route) => createAnyOperation(route, workshop));
process.stdout.write(`${JSON.stringify(createDocument(operations, pages, schemas, "0.1.0"), undefined, 2)}\n`);
