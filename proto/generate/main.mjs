// Writes the JSON Schemas of all messages that services take and answer, from a descriptor set:
//   node generate/main.mjs gen/descriptor.binpb gen/schemas.json
// The gateway checks requests with them and makes the OpenAPI document of them.
import { readFileSync, writeFileSync } from "node:fs";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { schemasOf } from "./schemas.mjs";

const [, , source, target] = process.argv;
if (source === undefined || target === undefined) {
  throw new Error("usage: node generate/main.mjs <descriptor set> <schemas>");
}
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(source)));
writeFileSync(target, `${JSON.stringify(schemasOf(registry), undefined, 2)}\n`);
