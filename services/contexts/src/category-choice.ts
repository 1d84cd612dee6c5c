import type { Caller } from "@assistant/kit/caller/caller.js";
import { unknownId, type Violation, valueError } from "@assistant/kit/rules/violation.js";
import { accessTo, chainOf } from "./scope.js";
import type { CategoryRow } from "./store/context-categories.js";

/**
 * What is wrong with a category as the place of a context of a scope: one the caller cannot know, or one of another
 * chain.
 */
export function unfit(caller: Caller, category: CategoryRow | undefined, scopeId: string): Violation | undefined {
  if (!isKnown(caller, category)) {
    return unknownId("category_id");
  }
  const text = "category_id is not in the scope chain of scope_id";
  return chainOf(caller, scopeId).includes(category.scope_id) ? undefined : valueError(["category_id"], text);
}

export function isKnown(caller: Caller, category: CategoryRow | undefined): category is CategoryRow {
  return category !== undefined && accessTo(caller, category.scope_id) !== "none";
}
