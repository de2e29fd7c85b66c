-- Uids are never reused: one that is reused would inherit the files of the last owner.
create sequence panel.uids minvalue 20000 maxvalue 2000000000;

-- A hosting account. `desired`, the package and the password hash are the desired state; `state`,
-- which answers show, is the actual one, and changes only together with the operation's answer.
create table panel.accounts (
  id                   bigint generated always as identity primary key,
  seller_id            bigint      not null references panel.sellers on delete restrict,
  package_id           bigint      not null references panel.packages on delete restrict,
  uid                  integer     not null unique default nextval('panel.uids'),
  username             text        not null,
  email                text        not null,
  -- The hash in the machine's shadow file.
  password_hash        text        not null,
  -- Argon2id of the same password, for the pages.
  sign_in_hash         text,
  -- The seller's own name for it, such as an order number; null for none. The grammar is validated
  -- where rows are added (is_reference.sql).
  reference            text        check (char_length(reference) between 1 and 128),
  desired               text        not null default 'active',
  state                text        not null default 'provisioning',

  suspend_reason       text,
  -- A reseller may not lift an administrator's suspension.
  suspended_by         text,
  suspended_at         timestamptz,
  -- The suspension that the account is shown with while an operation that ends or replaces it is in
  -- progress, as {"reason", "by"}: `suspend_reason` and `suspended_by` are desired. Null while they
  -- are actual.
  suspension_before    jsonb,

  -- Raised by a change of the account's password and by its suspension; links and sessions of an
  -- older one are void.
  sign_on_epoch        integer     not null default 1,
  -- By how much the home's limit is below the package's, to make room for the databases.
  database_reserve_mb  integer     not null default 0 check (database_reserve_mb >= 0),

  -- Whether the machine is known to agree with the row.
  is_applied           boolean     not null default false,
  -- For an account whose operation could be neither done nor undone: since when nothing has
  -- succeeded, and when the sweeper begins the next attempt; null while there is none to begin.
  unapplied_since      timestamptz,
  apply_due_at         timestamptz,
  -- Limits that the server cannot enforce for this account: a list of a code, which the worker and
  -- functions use, and a sentence for people, as [{"code": "disk_not_limited", "sentence": "..."}].
  warnings             jsonb       not null default '[]',

  created_at           timestamptz not null default now(),
  terminated_at        timestamptz,

  constraint accounts_warnings check (jsonb_typeof(warnings) = 'array'),
  constraint accounts_check check (panel_checks.is_account(
    username, email, desired, state, suspend_reason, suspended_by))
);

-- A terminated account's name and reference are free at once.
create unique index accounts_username on panel.accounts (username) where state <> 'terminated';
create unique index accounts_reference on panel.accounts (seller_id, reference)
  where state <> 'terminated' and reference is not null;
-- A terminated account is looked up as the proof that it is gone.
create index accounts_terminated_reference on panel.accounts (seller_id, reference, terminated_at)
  where state = 'terminated' and reference is not null;
create index accounts_seller on panel.accounts (seller_id, username);
create index accounts_package on panel.accounts (package_id);
-- Accounts are looked up by the address of their customer.
create index accounts_email on panel.accounts (lower(email)) where state <> 'terminated';
create index accounts_apply_due on panel.accounts (apply_due_at) where apply_due_at is not null;

-- The last measurement of an account's files and databases.
create table panel.disk_usage (
  account_id      bigint      primary key references panel.accounts on delete cascade,
  -- The home.
  bytes           bigint      not null check (bytes >= 0),
  database_bytes  bigint      not null default 0 check (database_bytes >= 0),
  measured_at     timestamptz not null
);

-- The last measurement of an account's files in each month (UTC), its first day as the key.
create table panel.disk_months (
  account_id   bigint      not null references panel.accounts on delete cascade,
  month        date        not null check (extract(day from month) = 1),
  bytes        bigint      not null check (bytes >= 0),

  primary key (account_id, month)
);

-- Bytes that an account's websites sent in a month (UTC), its first day as the key.
create table panel.bandwidth_usage (
  account_id   bigint      not null references panel.accounts on delete cascade,
  month        date        not null check (extract(day from month) = 1),
  bytes        bigint      not null check (bytes >= 0),
  measured_at  timestamptz not null,

  primary key (account_id, month)
);

-- The position up to which the access log was read; stored together with the sums of that reading.
create table panel.log_positions (
  device      bigint      not null,
  inode       bigint      not null,
  bytes_read  bigint      not null check (bytes_read >= 0),
  read_at     timestamptz not null default now(),

  primary key (device, inode)
);

-- Never the password hashes: the API writes them through functions and cannot read them back.
grant select (id, seller_id, package_id, uid, username, email, reference, desired, state,
  is_applied, warnings, suspend_reason, suspended_by, suspended_at, suspension_before,
  sign_on_epoch, created_at, terminated_at) on panel.accounts to panel_api;
grant select on panel.accounts to panel_worker;
grant select on panel.disk_usage, panel.disk_months, panel.bandwidth_usage to panel_api;
grant select, insert, update, delete on panel.disk_usage, panel.disk_months,
  panel.bandwidth_usage, panel.log_positions to panel_worker;
