import { tooFew, valueError } from "@assistant/kit/rules/violation.js";
import { invalid } from "@assistant/kit/wire/fault.js";
import type { CreateUseCaseRequest, UpdateUseCaseRequest } from "@assistant/proto/assistant/catalog/v1/use_cases.js";
import { readKinds } from "./connector-kinds.js";
import type { UseCaseContent } from "./store/use-cases.js";

/** What a request for a new use case says. */
export function newContent(request: CreateUseCaseRequest): UseCaseContent {
  refuseCredentials(request.credential_ids);
  return contentOf(request);
}

/** What a use case says after a request that names some of its fields. */
export function changedContent(before: UseCaseContent, request: UpdateUseCaseRequest): UseCaseContent {
  const given = fieldsGiven(request);
  refuseEmptyTexts(request, given);
  if (given.has("credential_ids")) {
    refuseCredentials(request.credential_ids);
  }
  const after = contentOf(request);
  const pick = <Field extends keyof UseCaseContent>(field: Field) => (given.has(field) ? after[field] : before[field]);
  return {
    label: pick("label"),
    description: pick("description"),
    sync_connectors: pick("sync_connectors"),
    credential_ids: pick("credential_ids"),
    sync_connectors_enabled_user_credentials: pick("sync_connectors_enabled_user_credentials"),
  };
}

const FIELDS = [
  "label",
  "description",
  "sync_connectors",
  "credential_ids",
  "sync_connectors_enabled_user_credentials",
] as const;

/** Those that the mask names; without a mask those that hold anything. */
function fieldsGiven(request: UpdateUseCaseRequest): ReadonlySet<string> {
  const filled = () => FIELDS.filter((field) => Object.keys(request[field]).length > 0);
  return new Set(request.update_mask ?? filled());
}

function contentOf(request: Omit<UpdateUseCaseRequest, "update_mask">): UseCaseContent {
  return {
    label: request.label,
    description: request.description,
    sync_connectors: readKinds(request.sync_connectors),
    credential_ids: request.credential_ids,
    sync_connectors_enabled_user_credentials: readKinds(request.sync_connectors_enabled_user_credentials),
  };
}

/** On the wire a map that is empty is one left out, which the rules cannot tell from one that the mask names. */
function refuseEmptyTexts(request: UpdateUseCaseRequest, given: ReadonlySet<string>): void {
  const empty = (["label", "description"] as const).filter(
    (field) => given.has(field) && Object.keys(request[field]).length === 0,
  );
  if (empty.length > 0) {
    throw invalid(...empty.map((field) => tooFew([field], "Dictionary", 1, 0)));
  }
}

/** Credentials are in no service's hands yet, so none is known. */
function refuseCredentials(ids: readonly string[]): void {
  if (ids.length > 0) {
    throw invalid(...ids.map((_, index) => valueError(["credential_ids", String(index)], "Unknown credential_ids")));
  }
}
