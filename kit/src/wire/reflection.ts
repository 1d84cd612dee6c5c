import { type FileRegistry, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { Server } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";

/** grpc.reflection.v1 and v1alpha: tools like grpcurl know the services without their proto files. Needs no token. */
export function addReflection(server: Server, services: readonly string[], registry: FileRegistry): void {
  // What @grpc/proto-loader makes of files lacks those that are only imported, and tools then cannot resolve their
  // types. The service reads nothing but the bytes of files, from any definition: here one that stands for all.
  const fileDescriptorProtos = [...registry.files].map(({ proto }) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, proto)),
  );
  const everything = { format: "Protocol Buffer 3 EnumDescriptorProto" as const, type: {}, fileDescriptorProtos };
  new ReflectionService({ everything }, { services: [...services, HEALTH] }).addToServer(server);
}

const HEALTH = "grpc.health.v1.Health";
