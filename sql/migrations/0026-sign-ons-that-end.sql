-- Links and the sessions that they open end with what they were made under, not because something
-- remembered to delete them.
alter table panel.accounts
  -- Raised by a change of the account's password and by its suspension; what is older is void.
  add column sign_on_epoch integer not null default 1;

alter table panel.sign_ons
  add column epoch    integer not null default 1,
  -- The token that asked for the link; null where root did. What it has made ends with it.
  add column token_id bigint  references panel.tokens on delete cascade;

alter table panel.account_sessions
  add column epoch    integer not null default 1,
  add column token_id bigint  references panel.tokens on delete cascade;

grant select (sign_on_epoch) on panel.accounts to panel_api;
