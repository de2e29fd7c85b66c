-- The hook scripts of one event: whether their turn has come, and their progress. The row is the
-- truth; a job in the queue only wakes the worker for it.
create table panel.hook_runs (
  event_id      bigint      primary key references panel.events on delete cascade,
  -- The lane: an account's runs take turns in the order of its events. A run with null waits for no
  -- other.
  account_id    bigint,
  -- PANEL_EVENT_ID of the scripts. No other panel on the machine has the same, so that it
  -- distinguishes their processes from all others.
  mark          uuid        not null default gen_random_uuid(),
  state         text        not null check (state in ('blocked', 'queued', 'running', 'done')),
  -- Raised at every enqueue and every start; a writer with another epoch is too late.
  epoch         integer     not null default 0,
  queue_job_id  bigint,
  -- Why the run ended before all its scripts had run.
  error         text,
  is_cancelled  boolean     not null default false,
  created_at    timestamptz not null default now(),
  started_at    timestamptz,
  finished_at   timestamptz,

  check ((state = 'done') = (finished_at is not null)),
  check (not is_cancelled or state = 'done')
);

create unique index hook_runs_lane on panel.hook_runs (account_id)
  where state in ('queued', 'running');
create index hook_runs_unfinished on panel.hook_runs (account_id, event_id) where state <> 'done';
create index hook_runs_finished on panel.hook_runs (finished_at) where state = 'done';
-- Finds the latest runs, and those that did not succeed, without reading all others.
create index hook_runs_ended on panel.hook_runs (created_at) where state = 'done';
create index hook_runs_stopped on panel.hook_runs (event_id)
  where error is not null or is_cancelled;

-- One run of one script. It is written before the script starts, so that the worker after one that
-- died knows what may still be running.
create table panel.script_runs (
  id           uuid        primary key,
  event_id     bigint      not null references panel.hook_runs on delete cascade,
  -- The name in the event's folder; a dot is the folder itself.
  name         text        not null,
  -- The file that was run or refused: with all links resolved, if possible.
  path         text        not null,
  -- Null while it runs.
  outcome      text        check (outcome in
    ('succeeded', 'failed', 'timed_out', 'refused', 'interrupted')),
  -- Why it did not succeed.
  reason       text,
  exit_code    integer,
  signal       text,
  -- Process id, start time and boot: the group that must be gone before the script runs again.
  leader       jsonb,
  -- Whether the script was run again; this run is history.
  is_repeated  boolean     not null default false,
  -- The last 16 KiB of each stream.
  stdout       bytea       not null default '',
  stderr       bytea       not null default '',
  started_at   timestamptz not null default now(),
  duration_ms  integer,

  check (outcome is distinct from 'succeeded' or exit_code = 0),
  check ((outcome in ('failed', 'timed_out', 'refused')) = (reason is not null))
);

-- A script that has ended is never run again; only an interrupted run is followed by another one.
create unique index script_runs_once on panel.script_runs (event_id, name)
  where outcome is distinct from 'interrupted' and not is_repeated;
create index script_runs_event on panel.script_runs (event_id);
create index script_runs_failed on panel.script_runs (event_id)
  where outcome in ('failed', 'timed_out', 'refused') and not is_repeated;

grant select, insert, update on panel.script_runs to panel_worker;
