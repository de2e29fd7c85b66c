-- Networks that administrators may sign in to the pages from; no row at all means anywhere.
create table panel.sign_in_ranges (
  range       cidr        primary key,
  created_at  timestamptz not null default now()
);

-- Failed attempts to sign in, by SHA-256 of their origin: of a name, of an address, or of a name in
-- a browser that has signed in as it before. Unlogged: a count lost in a crash is a moment's
-- leniency.
create unlogged table panel.sign_in_attempts (
  counter   bytea       primary key check (octet_length(counter) = 32),
  failures  integer     not null check (failures > 0),
  tried_at  timestamptz not null
);

create index sign_in_attempts_old on panel.sign_in_attempts (tried_at);

-- The second factor of an operator or an account: codes of an app (TOTP, RFC 6238).
create table panel.second_factors (
  operator_id       bigint      unique references panel.operators on delete cascade,
  account_id     bigint      unique references panel.accounts on delete cascade,
  -- Encrypted under the server's key, for this owner.
  secret         bytea       not null check (octet_length(secret) between 30 and 255),
  created_at     timestamptz not null default now(),
  -- Null until a first code shows that the app has the secret; no code is asked for before.
  confirmed_at   timestamptz,
  -- The 30 seconds whose code was used last: that code and all earlier ones are used up.
  last_step      bigint,
  -- Attempts since the last right one, each counted before it is checked.
  failures       integer     not null default 0 check (failures >= 0),
  -- Null before the first attempt.
  tried_at       timestamptz,
  -- The secret that replaces `secret` with its first code, encrypted alike; null if no replacement
  -- was begun.
  next_secret    bytea       check (octet_length(next_secret) between 30 and 255),
  next_begun_at  timestamptz,

  check (num_nonnulls(operator_id, account_id) = 1),
  check ((confirmed_at is null) = (last_step is null)),
  check ((next_secret is null) = (next_begun_at is null)),
  check (next_secret is null or confirmed_at is not null)
);

-- Codes for when the app is gone, each good for one sign-in.
create table panel.recovery_codes (
  operator_id    bigint      references panel.second_factors (operator_id) on delete cascade,
  account_id  bigint      references panel.second_factors (account_id) on delete cascade,
  -- SHA-256 of the code; 80 random bits need no slow hash.
  hash        bytea       not null check (octet_length(hash) = 32),
  used_at     timestamptz,

  unique (operator_id, hash),
  unique (account_id, hash),
  check (num_nonnulls(operator_id, account_id) = 1)
);

-- Single sign-on links: valid once and for 60 seconds (specification, Limits). A link and its
-- session end with the credentials that they were made under.
create table panel.sign_ons (
  -- SHA-256 of the link's token; the token itself is kept nowhere.
  hash        bytea       primary key check (octet_length(hash) = 32),
  account_id  bigint      not null references panel.accounts on delete cascade,
  -- The account's `sign_on_epoch`.
  epoch       integer     not null default 1,
  -- The token that requested the link; null for root. The session ends with it.
  token_id    bigint      references panel.tokens on delete cascade,
  expires_at  timestamptz not null,
  used_at     timestamptz
);

create index sign_ons_expired on panel.sign_ons (expires_at);

-- Sessions on the pages, of an operator or of an account.
create table panel.sessions (
  hash          bytea       primary key check (octet_length(hash) = 32),
  -- Operations refer to their session by it; it is never reused.
  id            bigint      generated always as identity unique,
  operator_id      bigint      references panel.operators on delete cascade,
  account_id    bigint      references panel.accounts on delete cascade,
  -- The session of the operator who has signed in as this account: it ends with that.
  parent_id     bigint      references panel.sessions (id) on delete cascade,
  -- The token whose sign-on link has opened it.
  token_id      bigint      references panel.tokens on delete cascade,
  -- The credential epoch of its operator or account.
  epoch         integer     not null default 1,
  -- The address where it was opened; null if unknown.
  address       inet,
  browser       text        check (char_length(browser) <= 300),
  created_at    timestamptz not null default now(),
  last_seen_at  timestamptz not null default now(),
  -- Its end unless it is used again, within `ends_at`.
  expires_at    timestamptz not null default now() + interval '12 hours',
  -- Its end, however it is used.
  ends_at       timestamptz not null default now() + interval '7 days',
  -- Ended by another session or by root: requests that wait for it are not executed. Signing out
  -- only lets it expire.
  revoked_at    timestamptz,

  check (num_nonnulls(operator_id, account_id) = 1),
  check (parent_id is null or account_id is not null)
);

create index sessions_expired on panel.sessions (expires_at);
create index sessions_operator on panel.sessions (operator_id) where operator_id is not null;
create index sessions_account on panel.sessions (account_id) where account_id is not null;
create index sessions_parent on panel.sessions (parent_id) where parent_id is not null;

-- When the limit on writes forgets a session that requests no further change.
create unlogged table panel.session_writes (
  session_id  bigint      primary key,
  free_at     timestamptz not null
);

-- Answers of pages' forms that begin no operation, so that one that is sent twice does its work
-- once.
create table panel.form_answers (
  session_id  bigint      not null references panel.sessions (id) on delete cascade,
  -- New each time that a form is rendered.
  key         text        not null check (char_length(key) <= 36),
  -- The hash of the input, keyed by the session's secret.
  fingerprint bytea       not null check (octet_length(fingerprint) = 32),
  -- The page that followed, encrypted under the session's secret; null while it is in progress.
  reply       bytea,
  created_at  timestamptz not null default now(),

  primary key (session_id, key)
);

create index form_answers_created on panel.form_answers (created_at);

grant select on panel.sign_in_ranges to panel_api;
-- The process that signs users in reads these and records their use. A change of a second factor
-- also raises the credential epoch, so only functions make it.
grant select, update (last_step, failures, tried_at) on panel.second_factors to panel_api;
grant select, update (used_at) on panel.recovery_codes to panel_api;
grant select, insert, update, delete on panel.sign_ons to panel_api;
-- Sessions are opened and ended by functions; no role reads the hashes.
grant select (id, operator_id, account_id, parent_id, token_id, epoch, address, browser, created_at,
  last_seen_at, expires_at, ends_at, revoked_at) on panel.sessions to panel_api;
grant select, insert, update (reply) on panel.form_answers to panel_api;
