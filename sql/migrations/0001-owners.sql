-- Who sells hosting here: the house (all administrators together) and each reseller.  A seller has
-- a catalogue of packages and, if it is a reseller, a plan that its accounts have to stay within.
create table panel.sellers (
  id            bigint generated always as identity primary key,
  is_house      boolean     not null default false,

  -- The plan; all null means that the reseller has none yet and may sell nothing.
  max_accounts  integer     check (max_accounts >= 0),
  disk_mb       bigint      check (disk_mb >= 0),
  max_sites     bigint      check (max_sites >= 0),
  memory_mb     integer     check (memory_mb > 0),
  cpu_percent   integer     check (cpu_percent > 0),

  suspended_at  timestamptz,
  created_at    timestamptz not null default now(),

  check (num_nulls(max_accounts, disk_mb, max_sites, memory_mb, cpu_percent) in (0, 5)),
  -- The house has no plan and nobody above it who could suspend it.
  check (not is_house or (max_accounts is null and suspended_at is null))
);

create unique index sellers_house on panel.sellers (is_house) where is_house;

insert into panel.sellers (is_house) values (true);

-- By how much a seller's accounts leave its plan: zero or null where they don't.
create type panel.plan_overrun as (
  accounts     bigint,
  disk_mb      bigint,
  max_sites    bigint,
  memory_mb    bigint,
  cpu_percent  bigint
);

-- The people who sign in.  All administrators act for the house, a reseller for itself.
create table panel.owners (
  id                bigint generated always as identity primary key,
  seller_id         bigint      not null references panel.sellers on delete restrict,
  name              text        not null unique check (name ~ '^[a-z][a-z0-9_-]{0,30}[a-z0-9]$'),
  role              text        not null check (role in ('administrator', 'reseller')),
  email             text        not null check (char_length(email) <= 254),
  password_hash     text        not null check (password_hash like '$argon2id$%'),
  -- Raised by every change of password or second factor; tokens of an older epoch are void.
  credential_epoch  integer     not null default 1,
  created_at        timestamptz not null default now()
);

-- API tokens, never deleted: a revoked one keeps its operations' keys apart from all others'.
create table panel.tokens (
  id                bigint generated always as identity primary key,
  owner_id          bigint      not null references panel.owners on delete restrict,
  name              text        not null check (char_length(name) between 1 and 100),
  permission        text        not null default 'Provisioning only'
                    check (permission = 'Provisioning only'),
  -- SHA-256 of the token; 256 random bits need no slow hash.
  hash              bytea       not null unique check (octet_length(hash) = 32),
  -- Null means that calls may come from anywhere.
  allowed           cidr[]      check (cardinality(allowed) > 0),
  credential_epoch  integer     not null,
  created_at        timestamptz not null default now(),
  expires_at        timestamptz,
  revoked_at        timestamptz,
  -- Up to ten minutes old: a write for each call would be a wait for the disk for each call.
  last_used_at      timestamptz
);

create index tokens_owner on panel.tokens (owner_id);

-- Requests of a token in each of the last 60 seconds, a ring indexed by second modulo 60.
-- Unlogged: a count lost in a crash is a minute's leniency, a logged one a write to disk a request.
create unlogged table panel.request_counts (
  token_id  bigint     primary key references panel.tokens on delete cascade,
  second    bigint     not null,
  counts    smallint[] not null check (cardinality(counts) = 60)
) with (fillfactor = 50);

-- The one server that this panel manages.
create table panel.server (
  id          uuid        primary key default gen_random_uuid(),
  created_at  timestamptz not null default now()
);

create unique index server_single on panel.server ((true));

insert into panel.server default values;

grant select on panel.sellers, panel.server to panel_api, panel_worker, panel_courier;
grant select (id, seller_id, name, role, email, credential_epoch, created_at) on panel.owners
  to panel_api, panel_worker;
grant select on panel.tokens to panel_api;
grant select (id, owner_id, name, revoked_at) on panel.tokens to panel_worker;
