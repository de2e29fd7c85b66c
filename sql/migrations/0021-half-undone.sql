-- An account whose operation could be neither done nor undone: the machine is made to agree with it
-- as soon as it can be, without hands.
alter table panel.accounts
  -- Since when nothing has succeeded.
  add column unapplied_since timestamptz,
  -- When the sweeper begins the next try; null while there is none to begin.
  add column apply_due_at    timestamptz;

create index accounts_apply_due on panel.accounts (apply_due_at) where apply_due_at is not null;
