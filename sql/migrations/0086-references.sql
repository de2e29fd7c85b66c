-- What the account's seller calls it, as the number of an order; null where it was not told. The
-- grammar is judged where rows are added (is_reference.sql).
alter table panel.accounts
  add column reference text check (char_length(reference) between 1 and 128);

-- Free again once the account is terminated, like its name.
create unique index accounts_reference on panel.accounts (seller_id, reference)
  where state <> 'terminated' and reference is not null;
-- Terminated accounts are looked up as the proof that one is gone.
create index accounts_terminated_reference on panel.accounts (seller_id, reference, terminated_at)
  where state = 'terminated' and reference is not null;

grant select (reference, terminated_at) on panel.accounts to panel_api;
