-- Work that no request asked for (a changed package is applied to its accounts) takes its turn in
-- the account's lane like any other, so it is an operation too: without token and key.
alter table panel.operations
  alter column token_id drop not null,
  alter column key drop not null,
  alter column fingerprint drop not null,
  add constraint operations_caller check (num_nulls(token_id, key, fingerprint) in (0, 3)),
  -- The names that may be begun are a closed list in begin_operation.
  drop constraint operations_name_check,
  -- Whether the stored body is encrypted under a key that only the caller's token yields.
  add column is_sealed boolean not null default false;

grant select (is_sealed) on panel.operations to panel_api;

-- A package whose accounts have still to follow a change: those with a higher id than this.
-- Null means that all of them have their operation.
alter table panel.packages
  add column apply_after bigint,
  add column apply_job_id bigint;

create index packages_due on panel.packages (id) where apply_after is not null;
