import { type FileRegistry, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { Server } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";

/** grpc.reflection.v1 and v1alpha: tools like grpcurl know the services without their proto files. Needs no token. */
export function addReflection(server: Server, services: readonly string[], registry: FileRegistry): void {
  // What @grpc/proto-loader makes of files lacks those that are only imported, and tools then cannot resolve their
  // types. The service reads nothing but the bytes of files, from any definition: here one that stands for all.
  // Without comments, which are most of the bytes: decoding them would be a good part of the start of every service.
  const fileDescriptorProtos = [...registry.files].map(({ proto }) => {
    const bare = { ...proto };
    delete bare.sourceCodeInfo;
    return Buffer.from(toBinary(FileDescriptorProtoSchema, bare));
  });
  const everything = { format: "Protocol Buffer 3 EnumDescriptorProto" as const, type: {}, fileDescriptorProtos };
  new ReflectionService({ everything }, { services: [...services, HEALTH] }).addToServer(server);
}

const HEALTH = "grpc.health.v1.Health";
