-- Signing in with a password and a second factor, for owners and accounts.
alter table panel.accounts
  -- Argon2id of the password, written along with the machine's own hash; null where it was set
  -- before there was one: such an account signs in by a link, or is given a new password.
  add column sign_in_hash text;

-- Tries to sign in that were not right, by SHA-256 of whose they are: of a name, of an address, or
-- of a name in a browser that has signed in as it before. Unlogged: a count lost in a crash is a
-- moment's leniency.
create unlogged table panel.sign_in_tries (
  counter   bytea       primary key check (octet_length(counter) = 32),
  failures  integer     not null check (failures > 0),
  tried_at  timestamptz not null
);

create index sign_in_tries_old on panel.sign_in_tries (tried_at);

-- When a session that asks for no further change is as one that never has.
create unlogged table panel.session_writes (
  session_id  bigint      primary key,
  free_at     timestamptz not null
);

-- Whether administrators and resellers need a second factor to sign in.
alter table panel.server add column demands_second_factor boolean not null default false;

-- Accounts may have a second factor too.
alter table panel.recovery_codes
  drop constraint recovery_codes_owner_id_fkey,
  drop constraint recovery_codes_pkey;
alter table panel.second_factors
  drop constraint second_factors_pkey,
  alter column owner_id drop not null,
  add column account_id bigint unique references panel.accounts on delete cascade,
  add unique (owner_id),
  add check (num_nonnulls(owner_id, account_id) = 1);
alter table panel.recovery_codes
  alter column owner_id drop not null,
  add column account_id bigint references panel.second_factors (account_id) on delete cascade,
  add foreign key (owner_id) references panel.second_factors (owner_id) on delete cascade,
  add unique (owner_id, hash),
  add unique (account_id, hash),
  add check (num_nonnulls(owner_id, account_id) = 1);
