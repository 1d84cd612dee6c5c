import { serviceOf } from "@assistant/kit/wire/rpc.js";
import type { AnyOperation } from "./upload-operation.js";

/** The service that owns a row: the second name of the rpc's package. What all services share identity answers. */
export function ownerOf({ route }: AnyOperation): string {
  const [, owner = ""] = serviceOf(route.rpc.path).split(".");
  return owner === "common" ? "identity" : owner;
}
