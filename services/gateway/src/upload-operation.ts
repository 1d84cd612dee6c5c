import { methodDescriptor } from "@assistant/kit/rules/descriptor.js";
import type { DescMethod } from "@bufbuild/protobuf";
import type { ShowInput } from "./input.js";
import { createOperation, type Operation } from "./operation.js";
import { readQuery } from "./query.js";
import { createQueryCheck, type Failures } from "./request-check.js";
import type { MessageSchema } from "./schema.js";
import { type AnyRoute, isUploadRoute, type UploadRoute } from "./upload-route.js";

import type { Workshop } from "./workshop.js";

/** A row of the table that takes a file, compiled. */
export interface UploadOperation {
  readonly route: UploadRoute;
  readonly method: DescMethod;
  /** What is wrong with the query, of which such a row knows no parameter. */
  checkQuery(query: string, isStrict: boolean): Failures;
  readonly showInput: ShowInput;
}

/** A row of the table, of whatever kind, compiled. */
export type AnyOperation = Operation | UploadOperation;

export function createAnyOperation(route: AnyRoute, workshop: Workshop): AnyOperation {
  return isUploadRoute(route) ? createUploadOperation(route, workshop) : createOperation(route, workshop);
}

export function isUpload(operation: AnyOperation): operation is UploadOperation {
  return isUploadRoute(operation.route);
}

function createUploadOperation(route: UploadRoute, workshop: Workshop): UploadOperation {
  const check = createQueryCheck(NO_FIELDS, workshop);
  return {
    route,
    method: methodDescriptor(route.rpc.path, workshop.registry),
    checkQuery: (query, isStrict) => check(readQuery(query, NO_FIELDS), isStrict, query),
    showInput: workshop.showInput,
  };
}

const NO_FIELDS: MessageSchema = { type: "object", description: "", properties: {}, required: [] };
