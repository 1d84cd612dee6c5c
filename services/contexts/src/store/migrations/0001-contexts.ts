import type { Migration } from "@assistant/kit/database/migrate.js";

/**
 * Ids compare byte by byte whatever the database's locale: newest first is descending ids. Every scope that ever held something
 * has its row in `scopes`, also after the thing it names is gone, so that nothing is created in it again.
 */
export const contextsMigration: Migration = {
  async up(knex) {
    await knex.raw(scopes);
    await knex.raw(categories);
    await knex.raw(contexts);
  },
};

const scopes = `
create table scopes (
  org_id text collate "C" not null,
  scope_id text collate "C" not null,
  next_stack_order integer not null default 0,
  deleted_at timestamptz,
  primary key (org_id, scope_id)
)`;

const categories = `
create table context_categories (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  scope_id text collate "C" not null,
  name text not null,
  stack_order integer not null check (stack_order between 0 and 1000000),
  next_stack_order integer not null default 0,
  version integer not null,
  foreign key (org_id, scope_id) references scopes (org_id, scope_id)
);
create index context_categories_newest on context_categories (org_id, scope_id, id);
create index context_categories_stacked on context_categories (org_id, scope_id, stack_order, id);
create table context_category_versions (
  category_id text collate "C" not null references context_categories (id) on delete cascade,
  version integer not null,
  org_id text collate "C" not null,
  scope_id text collate "C" not null,
  name text not null,
  changed_by text collate "C" not null,
  changed_at timestamptz not null default now(),
  primary key (category_id, version)
)`;

const contexts = `
create table contexts (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  scope_id text collate "C" not null,
  category_id text collate "C" not null references context_categories (id),
  title text not null,
  context text not null,
  stack_order integer not null check (stack_order between 0 and 1000000),
  version integer not null,
  foreign key (org_id, scope_id) references scopes (org_id, scope_id)
);
create index contexts_newest on contexts (org_id, scope_id, id);
create index contexts_stacked on contexts (org_id, scope_id, category_id, stack_order, id);
create index contexts_of_category on contexts (category_id, stack_order, id);
create table context_versions (
  context_id text collate "C" not null references contexts (id) on delete cascade,
  version integer not null,
  org_id text collate "C" not null,
  scope_id text collate "C" not null,
  category_id text collate "C" not null,
  title text not null,
  context text not null,
  changed_by text collate "C" not null,
  changed_at timestamptz not null default now(),
  primary key (context_id, version)
)`;
