-- Databases of accounts in MariaDB, and the users that may use them. A name is its account's, an
-- underscore, and the customer's choice, which has no underscore.
create table panel.databases (
  id            bigint      generated always as identity primary key,
  account_id    bigint      not null references panel.accounts on delete cascade,
  name          text        not null unique check (name ~ '^[a-z0-9_-]{2,32}_[a-z0-9]{1,16}$'),
  -- `reserved` is a name that waits for its operation: the machine has never seen it.
  desired        text        not null default 'reserved'
                            check (desired in ('reserved', 'present', 'absent')),
  -- The operation that adds it: unless it succeeds, the row is deleted.
  added_by      uuid,
  created_at    timestamptz not null default now(),

  -- Its disk usage, which belongs to MariaDB's user and so counts towards no quota.
  bytes         bigint      not null default 0 check (bytes >= 0),
  measured_at   timestamptz,
  -- Its size when files and databases of its account last fitted the package.
  fitted_bytes  bigint      not null default 0,
  -- Since when it rejects writes, because its account is full.
  frozen_at     timestamptz
);

create index databases_account on panel.databases (account_id);
create index databases_added on panel.databases (added_by) where added_by is not null;

create table panel.database_users (
  id           bigint      generated always as identity primary key,
  account_id   bigint      not null references panel.accounts on delete cascade,
  name         text        not null unique check (name ~ '^[a-z0-9_-]{2,32}_[a-z0-9]{1,16}$'),
  -- The hash that mysql_native_password compares with: never the password.
  hash         text        not null check (hash ~ '^\*[0-9A-F]{40}$'),
  -- Whether the machine was given the hash: from then on the customer may have set another.
  is_set       boolean     not null default false,
  desired       text        not null default 'reserved'
                           check (desired in ('reserved', 'present', 'absent')),
  added_by     uuid,
  created_at   timestamptz not null default now()
);

create index database_users_account on panel.database_users (account_id);
create index database_users_added on panel.database_users (added_by) where added_by is not null;

create table panel.database_grants (
  user_id      bigint      not null references panel.database_users on delete cascade,
  database_id  bigint      not null references panel.databases on delete cascade,
  rights       text        not null check (rights in ('all', 'read')),

  primary key (user_id, database_id)
);

create index database_grants_database on panel.database_grants (database_id);

-- Databases that are open in Adminer, each for one session of its customer. While there is a row
-- the worker lets the database's internal user log in, by this hash.
create table panel.adminer_sessions (
  database_id  bigint      primary key references panel.databases on delete cascade,
  -- The operation that opens it: if it is undone, the row is deleted.
  opened_by    uuid        not null,
  -- The panel's session that requested it, and with which it ends.
  session_id   bigint      not null,
  -- SHA-256 of the one-time ticket, and of the cookie that the browser keeps then.
  ticket_hash  bytea       not null unique check (octet_length(ticket_hash) = 32),
  cookie_hash  bytea       not null unique check (octet_length(cookie_hash) = 32),
  -- The hash that mysql_native_password compares with: never the password.
  hash         text        not null check (hash ~ '^\*[0-9A-F]{40}$'),
  -- When the ticket was used up.
  used_at      timestamptz,
  last_seen_at timestamptz not null default now()
);

grant select on panel.databases, panel.database_grants to panel_api, panel_worker;
grant select (id, account_id, name, is_set, desired, added_by, created_at)
  on panel.database_users to panel_api, panel_worker;
