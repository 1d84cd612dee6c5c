import { internal } from "./fault.js";

/** A field that its rules require: they are checked before a handler runs, which the generated types cannot say. */
export function given<Value>(value: Value | undefined): Value {
  if (value === undefined) {
    throw internal(new Error("a required field got past the rules without a value"));
  }
  return value;
}
