-- The number of an event on this server, in the order of the changes (number_events.sql).  Null
-- until the first reader of a committed event has it numbered; 0 for what has no place in the
-- order: test events, and events from before there were numbers.
alter table panel.events
  add column sequence bigint default 0 check (sequence >= 0),
  -- The seller of its account when it happened; null where it has no account.
  add column seller_id bigint;
alter table panel.events alter column sequence drop default;

-- Partial, so that numbering a row takes no lock that conflicts with references to it.
create unique index events_sequence on panel.events (sequence) where sequence > 0;
create index events_seller on panel.events (seller_id, sequence) where sequence > 0;
create index events_unnumbered on panel.events (id) where sequence is null;

-- How far the numbers are, apart from the events, which are deleted after a while.
create table panel.event_counters (
  -- `numbered` is the last number given, `purged` the highest that was deleted.  Rows of their own,
  -- because a purge that holds one must not hold up the other.
  name        text        primary key check (name in ('numbered', 'purged')),
  value       bigint      not null check (value >= 0),
  changed_at  timestamptz not null default now()
);

-- A new panel begins with 1.  One that has events may have had numbers before, in a release that
-- was rolled back together with its database: it begins above them, at one number for each second
-- since the year began in which numbers came.
insert into panel.event_counters (name, value)
values
  ('numbered', case
    when exists (select from panel.events)
    then greatest(0, floor(extract(epoch from now() - timestamptz '2026-01-01 00:00:00+00')))
    else 0 end),
  ('purged', 0);

-- A token that reads events reaches nothing else.
alter table panel.tokens
  drop constraint tokens_permission_check,
  add constraint tokens_permission_check
    check (permission in ('Provisioning only', 'Read events'));
grant insert (permission) on panel.tokens to panel_api;
