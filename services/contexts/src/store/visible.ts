/** The scopes whose contents a caller may read. */
export interface Visible {
  orgId: string;
  scopeIds: readonly string[];
  /** Admins read every group of the org. */
  allGroups: boolean;
}

/** Collects the values of a statement whose filters vary; each combination of filters is one prepared statement. */
export interface Filters {
  /** Adds a value and names its place in the text. */
  bind(value: unknown): string;
  /** Marks that a filter is there, for the statement's name. */
  mark(word: string): void;
  readonly values: readonly unknown[];
  readonly name: string;
}

export function filters(name: string): Filters {
  const values: unknown[] = [];
  const words = [name];
  return {
    bind: (value) => `$${values.push(value)}`,
    mark: (word) => void words.push(word),
    values,
    get name() {
      return words.join("_");
    },
  };
}

/**
 * A query for the visible scopes that hold or held anything. Lists read each of them in order from an index and merge,
 * so that a page costs the same however far it is.
 */
export function visibleScopes(visible: Visible, scopeId: string | undefined, where: Filters): string {
  const parts = [
    `org_id = ${where.bind(visible.orgId)}`,
    "deleted_at is null",
    `(scope_id = any(${where.bind(visible.scopeIds)}) or (${where.bind(visible.allGroups)} and scope_id ^@ 'grp_'))`,
  ];
  if (scopeId !== undefined) {
    where.mark("scope");
    parts.push(`scope_id = ${where.bind(scopeId)}`);
  }
  return `select org_id, scope_id from scopes where ${parts.join(" and ")}`;
}

/**
 * Whether a column contains a text, whatever the case, in any script. Looks for the text itself: nothing in it is a
 * wildcard.
 */
export function contains(column: string, place: string): string {
  return `strpos(lower(${column} collate "und-x-icu"), lower(${place} collate "und-x-icu")) > 0`;
}
