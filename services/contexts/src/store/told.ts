/** The scope of a row as events tell it: like the field of the message, its type in the word of the API. */
export const scopeColumn = `
  jsonb_build_object('scope_id', scope_id, 'type', case split_part(scope_id, '_', 1)
    when 'org' then 'org' when 'grp' then 'group' when 'usr' then 'user' else 'use_case' end) as scope`;

/** What events tell of a context. Titles and texts may be personal: whoever needs them asks. */
export const contextColumns = ["id", "category_id", "scope", "stack_order"];

/** What events tell of a category. Names may be personal: whoever needs them asks. */
export const categoryColumns = ["id", "scope", "stack_order"];
