-- What an administrator sees of the work, and may say about it (`panel jobs`).

-- Tasks of which nothing begins until they are resumed; what has begun runs to its end.
create table panel.paused_tasks (
  task       text        primary key check (task ~ '^[a-z]+/[a-z-]+$'),
  paused_at  timestamptz not null default now()
);

-- Deliveries are taken up by statements of the courier's own.
grant select on panel.paused_tasks to panel_courier;

alter table panel.operations
  -- The steps of the last start with their times, at most 64, written with the end of it; null
  -- where there were none or nobody lived to write them.
  add column steps json,
  -- Before it had begun: nothing was done for it.
  add column is_cancelled boolean not null default false,
  add check (not is_cancelled or state = 'failed');

-- Who waits for an answer is told that it was cancelled.
grant select (is_cancelled) on panel.operations to panel_api;

alter table panel.hook_runs
  add column is_cancelled boolean not null default false,
  add check (not is_cancelled or state = 'done');

-- Another run of the same script was asked for; this one is history.
alter table panel.script_runs add column is_repeated boolean not null default false;

drop index panel.script_runs_once;
create unique index script_runs_once on panel.script_runs (event_id, name)
  where outcome is distinct from 'interrupted' and not is_repeated;

-- Each run that has ended of a job for which no other row stands: the queue knows it alone, and
-- forgets it when it is done.
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

-- What has ended in the last hour, whenever it was asked for.
create index operations_ended on panel.operations (finished_at) where state in ('done', 'failed');
