-- Tasks of which nothing begins until they are resumed; what has begun runs to its end.
create table panel.paused_tasks (
  task       text        primary key check (task ~ '^[a-z]+/[a-z-]+$'),
  paused_at  timestamptz not null default now()
);

-- Each run that has ended of a job that has no row elsewhere: the queue forgets a job when it is
-- done.
create table panel.maintenance_runs (
  id           bigint      generated always as identity primary key,
  worker       text        not null check (worker in ('worker', 'courier')),
  -- In that worker's queue.
  job_id       bigint      not null,
  task         text        not null,
  due_at       timestamptz not null,
  started_at   timestamptz not null,
  finished_at  timestamptz not null default now(),
  -- Why it failed, in words; null where it did not.
  error        text        check (char_length(error) <= 1000)
);

create index maintenance_runs_job on panel.maintenance_runs (job_id, id);
create index maintenance_runs_finished on panel.maintenance_runs (finished_at);

-- Ended jobs and deliveries, counted for good although their rows are purged (count_ended.sql).
create table panel.ended_totals (
  -- 'job' or 'delivery'
  kind     text    not null,
  -- A job's task; empty for deliveries.
  name     text    not null,
  outcome  text    not null,
  count    bigint  not null,
  primary key (kind, name, outcome)
);

-- Until when they are counted; the counting transaction holds the row.
create table panel.ended_totals_until (
  is_only  boolean      primary key default true check (is_only),
  at       timestamptz  not null default now()
);

insert into panel.ended_totals_until default values;

-- A job of any kind, as sql/functions/…_jobs.sql read them.
create type panel.run as (
  kind         text,
  id           text,
  task         text,
  state        text,
  account      text,
  asked_by     text,
  attempts        integer,
  created_at   timestamptz,
  due_at       timestamptz,
  started_at   timestamptz,
  finished_at  timestamptz,
  waited_ms    numeric,
  ran_ms       numeric,
  error        text,
  -- The answer that refused it.
  refusal      bytea,
  -- The job before it in its lane.
  behind       text,

  -- To filter by, in the words of the indexes: its id within its kind or that of its event, and
  -- what it is searched for.
  uuid         uuid,
  number       bigint,
  is_open      boolean,
  is_ended     boolean,
  words        text,
  -- Of requests.
  account_id   bigint,
  lane         bigint,
  caller       text,
  -- Of deliveries: the webhook, and whether it has ended without success.
  webhook_id   uuid,
  is_stopped   boolean
);

-- Deliveries are taken up by statements of the courier's own.
grant select on panel.paused_tasks to panel_courier;
