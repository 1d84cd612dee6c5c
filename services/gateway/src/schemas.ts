import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Schemas } from "./schema.js";

/** The schemas of the platform's own messages. */
export function platformSchemas(): Schemas {
  const file = createRequire(import.meta.url).resolve("@assistant/proto/schemas.json");
  // `proto/generate` wrote the file, in this form.
  return JSON.parse(readFileSync(file, "utf8")) as Schemas;
}
