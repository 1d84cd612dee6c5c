import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Fault } from "@assistant/proto/assistant/common/v1/fault.js";
import { ContextsServiceClient } from "@assistant/proto/assistant/contexts/v1/service.js";
import { Client, credentials, Metadata, type ServiceDefinition, type ServiceError, status } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Platform, startPlatform } from "../platform.js";

let platform: Platform;
let address: string;
let contexts: ContextsServiceClient;

beforeAll(async () => {
  platform = await startPlatform({ words: ["--no-demo"] });
  address = `127.0.0.1:${(await readFile(join(platform.folder, "ports/contexts"), "utf8")).trim()}`;
  contexts = new ContextsServiceClient(address, credentials.createInsecure());
}, 90_000);
afterAll(async () => {
  contexts?.close();
  await platform?.stop();
});

describe("a service called directly by gRPC", () => {
  test("lists its services by reflection", async () => {
    expect(await listServices()).toEqual(
      expect.arrayContaining(["assistant.contexts.v1.ContextsService", "grpc.health.v1.Health"]),
    );
  });

  test("answers UNAUTHENTICATED to a call without a token", async () => {
    const error = await failureOf(new Metadata(), { title: "House style" });
    expect(error.code).toBe(status.UNAUTHENTICATED);
  });

  test("answers INVALID_ARGUMENT with typed details to a message that breaks rules", async () => {
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${await platform.token()}`);
    const error = await failureOf(metadata, { title: "x".repeat(201), category_id: "", context: "Answer briefly." });
    expect(error.code).toBe(status.INVALID_ARGUMENT);
    const fault = Fault.decode(Buffer.from(error.metadata.get("fault-bin")[0] ?? ""));
    expect(fault.kind).toBe("FAULT_KIND_INVALID");
    expect(fault.violations.map(({ path, type }) => [...path, type])).toEqual([
      ["title", "string_too_long"],
      ["category_id", "string_too_short"],
      ["scope_id", "missing"],
    ]);
  });
});

function failureOf(metadata: Metadata, request: object): Promise<ServiceError> {
  return new Promise((resolve, reject) => {
    contexts.createContext(request, metadata, (error) => {
      if (error === null) reject(new Error("the call succeeded"));
      else resolve(error);
    });
  });
}

/** As grpcurl asks, with the definition that the reflection package brings. */
async function listServices(): Promise<string[]> {
  const folder = dirname(createRequire(import.meta.url).resolve("@grpc/reflection/package.json"));
  const definitions = loadSync(join(folder, "build/proto/grpc/reflection/v1/reflection.proto"));
  // The package definition holds the service under its full name.
  const service = definitions["grpc.reflection.v1.ServerReflection"] as ServiceDefinition;
  const info = service["ServerReflectionInfo"];
  if (info === undefined) throw new Error("the reflection package has no ServerReflectionInfo");
  const client = new Client(address, credentials.createInsecure());
  const stream = client.makeBidiStreamRequest(info.path, info.requestSerialize, info.responseDeserialize);
  try {
    stream.write({ listServices: "*" });
    // What proto-loader decodes has the fields of the definition, in camel case.
    const [reply] = (await stream.take(1).toArray()) as { listServicesResponse: { service: { name: string }[] } }[];
    return reply?.listServicesResponse.service.map(({ name }) => name) ?? [];
  } finally {
    stream.cancel();
    client.close();
  }
}
