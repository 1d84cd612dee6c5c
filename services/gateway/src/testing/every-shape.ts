import { readJson } from "../json.js";
import type { Operation } from "../operation.js";
import { isRefusal } from "../refusal.js";
import { compileShapes, shapesOperation } from "./shapes.js";

/** Messages with every kind of value, list, map and rule that a request may have. */
export const workshop = compileShapes(`
  syntax = "proto3";
  package assistant.shapes.v1;
  import "assistant/common/v1/rules.proto";
  import "google/protobuf/field_mask.proto";
  import "google/protobuf/timestamp.proto";

  // Every kind of value that a request may hold.
  service ShapesService {
    // Takes one of each.
    rpc Take(Shapes) returns (Shown);
    // Takes a list.
    rpc Find(Query) returns (Shown) { option idempotency_level = NO_SIDE_EFFECTS; }
    // Takes fields to replace.
    rpc Replace(Replacement) returns (Shown);
    // Takes itself.
    rpc Nest(Tree) returns (Shown);
  }
  enum Colour { COLOUR_UNSPECIFIED = 0; COLOUR_RED = 1; COLOUR_BLUE = 2 [(common.v1.word) = "SkyBlue"]; }
  enum Tag { TAG_UNSPECIFIED = 0; TAG_A = 1; TAG_B = 2; }
  message Texts {
    option (common.v1.message_rules) = {transparent: true};
    map<string, string> texts = 1 [(common.v1.rules) = {
      min_length: 1 keys: "assistant.common.v1.Locale" items: {min_length: 1 max_length: 5}
    }];
  }
  message Variant {
    option (common.v1.message_rules) = {discriminator: "tag"};
    optional string id = 1 [(common.v1.rules) = {required: true min_length: 1 max_length: 3}];
    optional Tag tag = 2 [(common.v1.rules) = {required: true}];
  }
  message Shapes {
    option (common.v1.message_rules) = {
      exactly_one: [{fields: ["one", "other"] or: ["instead"] text: "Provide one or other, or instead"}]
    };
    optional string text = 1 [(common.v1.rules) = {min_length: 2 max_length: 4 pattern: "^[a-z😀]+$"}];
    optional int32 whole = 2 [(common.v1.rules) = {ge: 1 le: 9 not_null: true}];
    optional int32 free = 3;
    optional double number = 4 [(common.v1.rules) = {ge: 0 le: 1}];
    optional bool flag = 5 [(common.v1.rules) = {not_null: true}];
    optional Colour colour = 6;
    optional string time = 7 [(common.v1.rules) = {format: FORMAT_DATE_TIME}];
    google.protobuf.Timestamp at = 8;
    optional string url = 9 [(common.v1.rules) = {format: FORMAT_URL}];
    repeated string list = 10 [(common.v1.rules) = {min_length: 2 max_length: 3 items: {min_length: 1}}];
    map<string, string> label = 11 [(common.v1.rules) = {
      min_length: 1 keys: "assistant.common.v1.Locale" items: {min_length: 1 max_length: 5}
    }];
    Variant variant = 12;
    repeated Texts options = 13 [(common.v1.rules) = {
      max_length: 2 only_with: {field: "colour" words: ["red"] text: "Only for red"}
    }];
    optional string one = 14;
    optional string other = 15;
    optional string instead = 16;
    optional string pin = 17 [(common.v1.rules) = {secret: true max_length: 4}];
    optional string any = 18 [(common.v1.rules) = {format: FORMAT_JSON_OBJECT}];
  }
  message Query {
    repeated string ids = 1 [(common.v1.rules) = {required: true max_length: 2}];
    optional int32 page_size = 2 [(common.v1.rules) = {ge: 1}];
  }
  message Replacement {
    optional string name = 1;
    repeated string ids = 2;
    google.protobuf.FieldMask update_mask = 3 [(common.v1.rules) = {hidden: true}];
  }
  message Tree { optional string name = 1 [(common.v1.rules) = {required: true}]; repeated Tree children = 2; }
  message Shown {
    string text = 1; int32 whole = 2; Colour colour = 3; optional string absent = 4; repeated string list = 5;
    map<string, string> label = 6; google.protobuf.Timestamp at = 7;
    repeated Texts options = 8; optional Variant variant = 9;
  }
`);

/** An operation that takes one of each. */
export const take = shapesOperation(workshop, "Take");

/** The message that a request becomes, or what is wrong with it: type, place, input and context. */
export function read(operation: Operation, body: string, query = "", isStrict = false) {
  const sent = { parameters: {}, query, headers: {}, isStrict };
  try {
    const json = operation.shape.body === undefined ? undefined : readJson(Buffer.from(body));
    return { message: operation.read({ ...sent, body: json }) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { detail } = error.problem;
    return { detail: detail.map(({ type, loc, input, ctx }) => [type, loc.slice(1).join("."), input, ctx]) };
  }
}

/** Type, place and input of what is wrong with these fields; those that must be there are there. */
export function wrong(fields: string) {
  return read(take, `{"one":"x",${fields}}`).detail?.map(([type, at, input]) => [type, at, input]);
}

/** The message that these fields become. */
export function right(fields: string) {
  return read(take, `{"one":"x",${fields}}`).message;
}
