-- What databases take of the disk, which belongs to MariaDB and so to no user's quota.
alter table panel.databases
  add column bytes         bigint      not null default 0 check (bytes >= 0),
  add column measured_at   timestamptz,
  -- What it had when files and databases of its account fitted the package the last time.
  add column fitted_bytes  bigint      not null default 0,
  -- Since when nothing can be written to it, because its account is full.
  add column frozen_at     timestamptz;

-- Beside `bytes`, which are those of the home.
alter table panel.disk_usage
  add column database_bytes bigint     not null default 0 check (database_bytes >= 0);

-- By how much the home's limit is below the package's, for what the databases take.
alter table panel.accounts
  add column database_reserve_mb integer not null default 0 check (database_reserve_mb >= 0);
