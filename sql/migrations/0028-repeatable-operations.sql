alter table panel.operation_names
  -- Whether one that the panel has asked of itself is begun anew where it has failed and an
  -- administrator wants it.
  add column is_repeatable boolean not null default false;
