import { serviceOf } from "@assistant/kit/wire/rpc.js";
import type { Operation } from "./operation.js";

/** The service that owns a row: the second name of the rpc's package. What all services share identity answers. */
export function ownerOf({ route }: Operation): string {
  const [, owner = ""] = serviceOf(route.rpc.path).split(".");
  return owner === "common" ? "identity" : owner;
}
