-- What the machine measured last of an account's files.
create table panel.disk_usage (
  account_id   bigint      primary key references panel.accounts on delete cascade,
  bytes        bigint      not null check (bytes >= 0),
  measured_at  timestamptz not null
);

-- Bytes that an account's websites have sent in a month (UTC), its first day as the key.
create table panel.bandwidth_usage (
  account_id   bigint      not null references panel.accounts on delete cascade,
  month        date        not null check (extract(day from month) = 1),
  bytes        bigint      not null check (bytes >= 0),
  measured_at  timestamptz not null,

  primary key (account_id, month)
);

-- How far the access log has been read; stored together with the sums that came of it.
create table panel.log_positions (
  device      bigint      not null,
  inode       bigint      not null,
  bytes_read  bigint      not null check (bytes_read >= 0),
  read_at     timestamptz not null default now(),

  primary key (device, inode)
);

grant select on panel.disk_usage, panel.bandwidth_usage to panel_api;
grant select, insert, update, delete on panel.disk_usage, panel.bandwidth_usage,
  panel.log_positions to panel_worker;
