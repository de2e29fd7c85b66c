-- Sessions of everybody who signs in. What were accounts' alone are owners' too.
alter table panel.account_sessions rename to sessions;
alter index panel.account_sessions_expired rename to sessions_expired;

alter table panel.sessions
  alter column account_id drop not null,
  -- Its end unless it is used again, and within `ends_at`.
  alter column expires_at set default now() + interval '12 hours',
  -- Whose it is: an owner's, or an account's. `epoch` is that of its credentials.
  add column owner_id      bigint      references panel.owners on delete cascade,
  -- The session of the owner who has signed in as this account: it ends with that.
  add column parent_id     bigint      references panel.sessions (id) on delete cascade,
  -- Where it was opened; null where nobody knows.
  add column address       inet,
  add column browser       text        check (char_length(browser) <= 300),
  add column last_seen_at  timestamptz not null default now(),
  -- However it is used.
  add column ends_at       timestamptz not null default now() + interval '7 days',
  -- Ended by another session or by root: what waits for it is not carried out any more. Signing
  -- out only lets it expire.
  add column revoked_at    timestamptz,
  add check (num_nonnulls(owner_id, account_id) = 1),
  add check (parent_id is null or account_id is not null);

create index sessions_owner on panel.sessions (owner_id) where owner_id is not null;
create index sessions_account on panel.sessions (account_id) where account_id is not null;
create index sessions_parent on panel.sessions (parent_id) where parent_id is not null;

-- They are opened and ended by functions; nobody reads the hashes.
revoke all on panel.sessions from panel_api;
grant select (id, owner_id, account_id, parent_id, token_id, epoch, address, browser, created_at,
  last_seen_at, expires_at, ends_at, revoked_at) on panel.sessions to panel_api;

-- What an earlier release knows of them.
create view panel.account_sessions as
  select id, hash, account_id, created_at, expires_at, epoch, token_id from panel.sessions
  where account_id is not null
  with check option;

grant select, insert, update, delete on panel.account_sessions to panel_api;
