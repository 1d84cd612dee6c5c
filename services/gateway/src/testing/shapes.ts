import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readRegistry } from "@assistant/kit/rules/descriptor.js";
import { compileDescriptorSet } from "@assistant/kit/testing/protos.js";
import { createOperation, type Operation } from "../operation.js";
import type { Route } from "../route.js";
import type { Schemas } from "../schema.js";
import { createWorkshop, type Workshop } from "../workshop.js";

/** Compiles a proto file as the platform's own are: with buf, and with the generator of schemas. */
export function compileShapes(text: string): Workshop {
  const set = compileDescriptorSet({ "assistant/shapes/v1/shapes.proto": text });
  const folder = mkdtempSync(join(tmpdir(), "shapes-"));
  try {
    writeFileSync(join(folder, "set.binpb"), set);
    execFileSync(process.execPath, [generator(), join(folder, "set.binpb"), join(folder, "schemas.json")]);
    // The generator writes this form.
    const schemas = JSON.parse(readFileSync(join(folder, "schemas.json"), "utf8")) as Schemas;
    return createWorkshop(readRegistry(set), schemas);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An operation over an rpc of such a file. Nothing calls it, so it needs no serializers. */
export function shapesOperation(workshop: Workshop, rpc: string, row: Partial<Route> = {}): Operation {
  const unused = () => {
    throw new Error("nothing is sent in this test");
  };
  const path = `/assistant.shapes.v1.ShapesService/${rpc}`;
  const never = {
    requestSerialize: unused,
    requestDeserialize: unused,
    responseSerialize: unused,
    responseDeserialize: unused,
  };
  const route: Route = {
    method: "post",
    path: "/shapes",
    ...(row.method === "get" ? {} : { body: "*" }),
    respond: "*",
    status: 200,
    open: false,
    form: false,
    versioned: false,
    ...row,
    rpc: { path, requestStream: false, responseStream: false, ...never },
  };
  return createOperation(route, workshop);
}

function generator(): string {
  const gen = dirname(createRequire(import.meta.url).resolve("@assistant/proto/descriptor.binpb"));
  return join(dirname(gen), "generate", "main.mjs");
}
