import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { create, type DescMessage, type FileRegistry, fromBinary, isFieldSet, toBinary } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { methodDescriptor, readRegistry } from "../rules/descriptor.js";
import type { AnyRpc, AnyStreamRpc } from "../wire/rpc.js";

/** Compiles proto files of a test, by their paths, beside those of assistant/common; they may use its rules. */
export function compileProtos(files: Readonly<Record<string, string>>): FileRegistry {
  return readRegistry(compileDescriptorSet(files));
}

/** The bytes of the FileDescriptorSet of the proto files of a test. */
export function compileDescriptorSet(files: Readonly<Record<string, string>>): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "protos-"));
  try {
    cpSync(join(protoRoom(), "assistant/common"), join(folder, "assistant/common"), { recursive: true });
    writeFileSync(join(folder, "buf.yaml"), "version: v2\n");
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    execFileSync(bufBinary(), ["build", "--as-file-descriptor-set", "-o", "set.binpb"], { cwd: folder });
    return readFileSync(join(folder, "set.binpb"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An rpc of such files, over plain objects as the generated code has them; for messages of scalars only. */
export function describedRpc(path: string, registry: FileRegistry): AnyRpc {
  return { ...codingOf(path, registry), requestStream: false, responseStream: false };
}

/** The same of an rpc whose messages stream both ways. */
export function describedStreamRpc(path: string, registry: FileRegistry): AnyStreamRpc {
  return { ...codingOf(path, registry), requestStream: true, responseStream: true };
}

function codingOf(path: string, registry: FileRegistry): Omit<AnyRpc, "requestStream" | "responseStream"> {
  const { input, output } = methodDescriptor(path, registry);
  return {
    path,
    requestSerialize: (message) => encode(input, message),
    requestDeserialize: (bytes) => decode(input, bytes),
    responseSerialize: (message) => encode(output, message),
    responseDeserialize: (bytes) => decode(output, bytes),
  };
}

function protoRoom(): string {
  return dirname(dirname(createRequire(import.meta.url).resolve("@assistant/proto/descriptor.binpb")));
}

function bufBinary(): string {
  return join(dirname(createRequire(import.meta.url).resolve("@bufbuild/buf/package.json")), "bin/buf");
}

function encode(described: DescMessage, message: unknown): Buffer {
  // The generated code takes any object of such fields, so this does too; `set` refuses values of a wrong kind.
  const fields = Object.entries(message as Readonly<Record<string, unknown>>);
  const target = reflect(described, create(described));
  for (const field of described.fields) {
    const value = fields.find(([name]) => name === field.name)?.[1];
    if (value !== undefined && field.fieldKind === "scalar") {
      target.set(field, value);
    }
  }
  return Buffer.from(toBinary(described, target.message));
}

function decode(described: DescMessage, bytes: Buffer): Readonly<Record<string, unknown>> {
  const message = fromBinary(described, bytes);
  const source = reflect(described, message);
  const isThere = described.fields.filter(
    (field) => field.presence !== FeatureSet_FieldPresence.EXPLICIT || isFieldSet(message, field),
  );
  return Object.fromEntries(isThere.map((field) => [field.name, source.get(field)]));
}
