-- Sellers of hosting on this server: all administrators together are one (`is_own`), and each
-- reseller is one. A seller has a catalogue of packages and, if it is a reseller, a plan that its
-- accounts have to stay within.
create table panel.sellers (
  id            bigint generated always as identity primary key,
  is_own        boolean     not null default false,

  -- The plan; all null means that the reseller has none yet and can create no accounts.
  max_accounts  integer     check (max_accounts >= 0),
  disk_mb       bigint      check (disk_mb >= 0),
  max_sites     bigint      check (max_sites >= 0),
  memory_mb     integer     check (memory_mb > 0),
  cpu_percent   integer     check (cpu_percent > 0),

  suspended_at  timestamptz,
  created_at    timestamptz not null default now(),

  check (num_nulls(max_accounts, disk_mb, max_sites, memory_mb, cpu_percent) in (0, 5)),
  -- Administrators have no plan and cannot be suspended.
  check (not is_own or (max_accounts is null and suspended_at is null))
);

create unique index sellers_own on panel.sellers (is_own) where is_own;

insert into panel.sellers (is_own) values (true);

-- Administrators and resellers, who sign in. All administrators act for one seller.
create table panel.operators (
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

-- Accounts are shown with the name of their reseller.
create index operators_reseller on panel.operators (seller_id) where role = 'reseller';

-- API tokens, never deleted: a revoked one keeps its operations' keys apart from all others'.
create table panel.tokens (
  id                bigint generated always as identity primary key,
  operator_id          bigint      not null references panel.operators on delete restrict,
  name              text        not null check (char_length(name) between 1 and 100),
  -- A token for provisioning alone cannot reach the content of accounts; one that reads events
  -- reaches nothing else.
  permission        text        not null default 'Provisioning only'
                    check (permission in (
                      'Provisioning only', 'Provisioning and hosting', 'Sites', 'Read events')),
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

create index tokens_operator on panel.tokens (operator_id);

-- Requests of a token in each of the last 60 seconds, newest first and as far back as the oldest
-- that counts. Without a check, whose text would be read at each request: only
-- `authenticate_call` writes here. Unlogged: a count lost in a crash allows a minute's requests
-- more, a logged one would cost a disk write per request.
create unlogged table panel.request_windows (
  token_id  bigint     primary key references panel.tokens on delete cascade,
  -- The second of the first count.
  second    bigint     not null,
  counts    smallint[] not null,
  -- Their sum.
  used      integer    not null
) with (fillfactor = 50);

grant select on panel.sellers to panel_api, panel_worker, panel_courier;
grant select (id, seller_id, name, role, email, credential_epoch, created_at) on panel.operators
  to panel_api, panel_worker;
grant select,
  insert (operator_id, name, hash, allowed, expires_at, credential_epoch, permission),
  update (revoked_at) on panel.tokens to panel_api;
grant select (id, operator_id, name, revoked_at) on panel.tokens to panel_worker;
-- When a token was used last.
grant select on panel.request_windows to panel_api;
