-- What has ended, counted for good although its rows are purged (count_ended.sql).
create table panel.ended_totals (
  -- 'job' or 'delivery'
  kind     text    not null,
  -- A job's task; empty for deliveries.
  name     text    not null,
  outcome  text    not null,
  count    bigint  not null,
  primary key (kind, name, outcome)
);

-- Until when they are counted; who counts holds the row.
create table panel.ended_totals_until (
  is_only  boolean      primary key default true check (is_only),
  at       timestamptz  not null default now()
);
insert into panel.ended_totals_until default values;

create index deliveries_ended on panel.deliveries (finished_at) where state <> 'due';
