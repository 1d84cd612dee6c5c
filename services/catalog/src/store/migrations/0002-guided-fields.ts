import type { Migration } from "@assistant/kit/database/migrate.js";

/** Clients choose ids of fields, so they are an org's own: no org learns what another one chose. */
export const guidedFieldsMigration: Migration = {
  async up(knex) {
    await knex.raw(fields);
    await knex.raw(attachments);
  },
};

const fields = `
create table guided_fields (
  org_id text collate "C" not null,
  id text collate "C" not null,
  name text collate "C" not null,
  label jsonb not null,
  type text not null,
  placeholder jsonb not null,
  required boolean not null,
  prompt_enrichment text,
  help_text jsonb not null,
  options jsonb not null,
  version integer not null,
  primary key (org_id, id),
  unique (org_id, id, name)
)`;

// The name stands here once more, kept equal by the reference: only so can it be unique for each owner.
const attachments = `
create table guided_field_attachments (
  org_id text collate "C" not null,
  owner_kind text not null,
  owner_id text collate "C" not null,
  field_id text collate "C" not null,
  name text collate "C" not null,
  position integer not null,
  primary key (org_id, owner_kind, owner_id, field_id),
  constraint guided_field_attachments_name unique (org_id, owner_kind, owner_id, name),
  foreign key (org_id, field_id, name) references guided_fields (org_id, id, name) on update cascade on delete cascade
);
create index guided_field_attachments_of_field on guided_field_attachments (org_id, field_id)`;
