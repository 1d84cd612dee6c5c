import { type Names, newField, type TargetName } from "./targets.js";

const USE_CASE = "/api/core/guided_search_fields/use_case/{use_case_id}";
const ASSET = "/api/core/guided_search_fields/knowledge_asset/{knowledge_asset_id}";

interface About {
  target: TargetName;
  body?: (names: Names) => object;
}

/** Answers to root, admin, editor, member, account, guest and stranger; the guest's use case is another one. */
const readers = (operation: string, about: About) => {
  return { operation, ...about, statuses: [200, 200, 200, 200, 200, 404, 404] as const };
};
const colleagues = (operation: string, about: About) => {
  return { operation, ...about, statuses: [200, 200, 200, 200, 200, 403, 404] as const };
};
const editors = (operation: string, about: About, ok = 200) => {
  return { operation, ...about, statuses: [ok, ok, ok, 403, 403, 403, 404] as const };
};
const admins = (operation: string, about: About, ok = 200) => {
  return { operation, ...about, statuses: [ok, ok, 403, 403, 403, 403, 404] as const };
};

const field = () => newField;
const change = () => ({ required: true });
const onlyField = ({ field_id }: Names) => ({ guided_search_field_ids: [field_id] });

/** Who may do what with the guided search fields of use cases and of managed assets that everybody sees. */
export const guidedFieldRows = [
  editors(`POST ${USE_CASE}`, { target: "useCase", body: field }, 201),
  readers(`GET ${USE_CASE}`, { target: "useCaseField" }),
  readers(`GET ${USE_CASE}/{field_id}`, { target: "useCaseField" }),
  readers(`POST ${USE_CASE}/render`, { target: "useCaseField", body: () => ({ values: { region: "North" } }) }),
  editors(`PUT ${USE_CASE}/order`, { target: "useCaseField", body: onlyField }),
  editors(`PUT ${USE_CASE}/{field_id}`, { target: "useCaseField", body: change }),
  editors(`DELETE ${USE_CASE}/{field_id}`, { target: "useCaseField" }),
  admins(`POST ${ASSET}`, { target: "knowledgeAsset", body: field }, 201),
  colleagues(`GET ${ASSET}`, { target: "assetField" }),
  colleagues(`GET ${ASSET}/{field_id}`, { target: "assetField" }),
  admins(`PUT ${ASSET}/order`, { target: "assetField", body: onlyField }),
  admins(`PUT ${ASSET}/{field_id}`, { target: "assetField", body: change }),
  admins(`DELETE ${ASSET}/{field_id}`, { target: "assetField" }),
  admins(`DELETE ${ASSET}`, { target: "assetField" }),
];
