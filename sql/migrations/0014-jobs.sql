-- Paused tasks: nothing of them starts until they are resumed; work in progress continues.
create table panel.paused_tasks (
  task       text        primary key check (task ~ '^[a-z]+/[a-z-]+$'),
  paused_at  timestamptz not null default now()
);

-- Each finished run of a job that has no row elsewhere: the queue deletes a job when it is done.
create table panel.maintenance_runs (
  id           bigint      generated always as identity primary key,
  worker       text        not null check (worker in ('worker', 'courier')),
  -- The id in that worker's queue.
  job_id       bigint      not null,
  task         text        not null,
  due_at       timestamptz not null,
  started_at   timestamptz not null,
  finished_at  timestamptz not null default now(),
  -- Why it failed, in words; null if it succeeded.
  error        text        check (char_length(error) <= 1000)
);

create index maintenance_runs_job on panel.maintenance_runs (job_id, id);
create index maintenance_runs_finished on panel.maintenance_runs (finished_at);
create index maintenance_runs_due on panel.maintenance_runs (due_at);

-- Ended jobs and deliveries, counted permanently although their rows are purged (count_ended.sql).
create table panel.ended_totals (
  -- 'job' or 'delivery'
  kind     text    not null,
  -- A job's task; empty for deliveries.
  name     text    not null,
  outcome  text    not null,
  count    bigint  not null,
  primary key (kind, name, outcome)
);

-- The time up to which they are counted; the counting transaction locks the row.
create table panel.ended_totals_until (
  is_only  boolean      primary key default true check (is_only),
  at       timestamptz  not null default now()
);

insert into panel.ended_totals_until default values;

-- A job of any kind (all_runs.sql).
create type panel.run as (
  kind           text,
  id             text,
  task           text,
  state          text,
  account        text,
  -- The caller that has requested it; null if the panel has.
  caller_words   text,
  -- The event that it is about, whether that is a test of a webhook, and the delivery that it
  -- repeats.
  event          text,
  is_test        boolean,
  redelivery_of  uuid,
  attempts       integer,
  created_at     timestamptz,
  due_at         timestamptz,
  started_at     timestamptz,
  finished_at    timestamptz,
  ran_ms         numeric,
  error          text,
  undo_error     text,
  -- The answer that refused it.
  refusal        bytea,
  -- The job before it in its lane.
  waits_for      text,

  -- Filter columns that match the indexes: its id within its kind or that of its event, and the
  -- text that is searched.
  uuid           uuid,
  number         bigint,
  is_open        boolean,
  is_ended       boolean,
  words          text,
  -- For requests.
  account_id     bigint,
  lane           bigint,
  caller         text,
  -- Whether it is the last run of its job: maintenance may have several.
  is_last        boolean,
  -- For deliveries: whether it has ended without success.
  is_stopped     boolean
);

-- Deliveries are taken by the courier's own statements.
grant select on panel.paused_tasks to panel_courier;
