import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { CallersServiceService } from "@assistant/proto/assistant/common/v1/callers.js";
import { createFileRegistry, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Client, credentials, type ServiceDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createLog } from "../process/log.js";
import { platformRegistry } from "../rules/descriptor.js";
import { probeVerifier } from "../testing/probe.js";
import { serve, served } from "./serve.js";

const ending: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
});

describe.each(["v1", "v1alpha"])("grpc.reflection.%s, as tools like grpcurl ask it, without a token", (version) => {
  test("the services are listed", async () => {
    const ask = await start(version);
    const { listServicesResponse } = await ask({ listServices: "*" });
    expect(listServicesResponse?.service.map(({ name }) => name).sort()).toEqual([
      "assistant.common.v1.CallersService",
      "grpc.health.v1.Health",
    ]);
  });

  test("every type that a service needs can be resolved from its files alone", async () => {
    const ask = await start(version);
    const registry = await resolve(ask, "assistant.common.v1.CallersService");
    const method = registry.getService("assistant.common.v1.CallersService")?.methods[0];
    expect(method?.output.fields[0]?.message?.fields.map(({ name }) => name)).toContain("kid");
  });

  test("files that are only imported are there too, Timestamp and the rules among them", async () => {
    const ask = await start(version);
    for (const { name } of [...platformRegistry().files]) {
      const { fileDescriptorResponse } = await ask({ fileByFilename: `${name}.proto` });
      expect([name, fileDescriptorResponse?.fileDescriptorProto.length ?? 0]).toEqual([name, expect.any(Number)]);
      expect(fileDescriptorResponse?.fileDescriptorProto.length).toBeGreaterThan(0);
    }
    const { fileDescriptorResponse } = await ask({ fileContainingSymbol: "google.protobuf.Timestamp" });
    expect(filesOf(fileDescriptorResponse).map(({ name }) => name)).toContain("google/protobuf/timestamp.proto");
  });

  test("what there is not is said", async () => {
    const ask = await start(version);
    expect((await ask({ fileContainingSymbol: "nobody.v1.Nothing" })).errorResponse).toMatchObject({ errorCode: 5 });
  });
});

interface Reply {
  readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] };
  readonly fileDescriptorResponse?: Files;
  readonly errorResponse?: { readonly errorCode: number };
}

interface Files {
  readonly fileDescriptorProto: readonly Buffer[];
}

type Ask = (question: object) => Promise<Reply>;

/** A server of a real service, and the one question and answer of its reflection stream. */
async function start(version: string): Promise<Ask> {
  const handlers = {
    getKeys: async () => ({ keys: [] }),
    getCaller: async () => ({ group_ids: [], managed_group_ids: [] }),
    listRevocations: async () => ({}),
  };
  const server = await serve({
    name: "identity",
    listen: "127.0.0.1:0",
    services: [served(CallersServiceService, handlers)],
    verifier: probeVerifier,
    allowedCallers: [],
    log: createLog("test", "0", "silent"),
  });
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  ending.push(
    () => server.stop(0),
    () => client.close(),
  );
  const { requestSerialize, responseDeserialize, path } = reflectionInfo(version);
  return (question) =>
    new Promise((resolve, reject) => {
      const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
      stream.on("data", (reply: Reply) => {
        stream.end();
        resolve(reply);
      });
      stream.on("error", reject);
      stream.write(question);
    });
}

function reflectionInfo(version: string) {
  const room = dirname(createRequire(import.meta.url).resolve("@grpc/reflection/package.json"));
  const definition = loadSync(join(room, `build/proto/grpc/reflection/${version}/reflection.proto`));
  // The loader's index signature also allows messages; under the name of a service stands a service.
  const service = definition[`grpc.reflection.${version}.ServerReflection`] as ServiceDefinition;
  const info = service.ServerReflectionInfo;
  if (info === undefined) {
    throw new Error("the reflection service has lost its rpc");
  }
  return info;
}

function filesOf(files: Files | undefined): FileDescriptorProto[] {
  return (files?.fileDescriptorProto ?? []).map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}

/** Does as grpcurl does: takes the file of a symbol, then every import that it has not yet. */
async function resolve(ask: Ask, symbol: string): Promise<FileRegistry> {
  const known = new Map<string, FileDescriptorProto>();
  const visit = async (files: readonly FileDescriptorProto[]): Promise<void> => {
    for (const file of files.filter(({ name }) => !known.has(name))) {
      known.set(file.name, file);
      for (const imported of file.dependency.filter((name) => !known.has(name))) {
        await visit(filesOf((await ask({ fileByFilename: imported })).fileDescriptorResponse));
      }
    }
  };
  await visit(filesOf((await ask({ fileContainingSymbol: symbol })).fileDescriptorResponse));
  return createFileRegistry({ $typeName: FileDescriptorSetSchema.typeName, file: ordered(known) });
}

// A registry wants every file after those it imports.
function ordered(known: ReadonlyMap<string, FileDescriptorProto>): FileDescriptorProto[] {
  const done = new Set<FileDescriptorProto>();
  const visit = (file: FileDescriptorProto | undefined): void => {
    if (file !== undefined && !done.has(file)) {
      for (const name of file.dependency) {
        visit(known.get(name));
      }
      done.add(file);
    }
  };
  for (const file of known.values()) {
    visit(file);
  }
  return [...done];
}
