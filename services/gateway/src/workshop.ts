import type { FileRegistry } from "@bufbuild/protobuf";
import { type Checks, createChecks } from "./checks.js";
import { createShowInput, type ShowInput } from "./input.js";
import { createWalk, type Walk } from "./place.js";
import { type Schemas, secretNames } from "./schema.js";

/** What compiling rows takes. */
export interface Workshop {
  readonly registry: FileRegistry;
  readonly schemas: Schemas;
  readonly checks: Checks;
  readonly walk: Walk;
  readonly showInput: ShowInput;
}

export function createWorkshop(registry: FileRegistry, schemas: Schemas): Workshop {
  return {
    registry,
    schemas,
    checks: createChecks(schemas),
    walk: createWalk(schemas),
    showInput: createShowInput(secretNames(schemas)),
  };
}
