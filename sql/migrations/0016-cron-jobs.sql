-- Commands that run as an account's user on a schedule.
create table panel.cron_jobs (
  id              bigint      generated always as identity primary key,
  account_id      bigint      not null references panel.accounts on delete cascade,
  -- Five fields of numbers, or @reboot (src/model/cron-jobs/cron-schedule.ts).
  schedule        text        not null
                              check (schedule ~ '^(@reboot|[0-9*,/-]+( [0-9*,/-]+){4})$'
                                and char_length(schedule) <= 200),
  -- One line for sh.
  command         text        not null
                              check (char_length(command) between 1 and 1000
                                and command !~ '[[:cntrl:]%]'),
  created_at      timestamptz not null default now(),
  -- `reserved` is one that waits for its operation: the machine has never seen it.
  desired          text        not null default 'reserved'
                              check (desired in ('reserved', 'present', 'absent')),
  -- The operation that adds it: unless it succeeds, the row is deleted.
  added_by        uuid,
  -- Set while a run is in progress, and after a power cut until the next one has ended.
  running_since   timestamptz,
  -- The last finished run.
  last_started_at timestamptz,
  last_ended_at   timestamptz check (last_ended_at >= last_started_at),
  -- The exit code of sh; 255 if a signal ended it, 124 if the time limit did.
  last_exit_code  integer     check (last_exit_code between 0 and 255),
  -- The end of its output, 64 KiB at most.
  last_output     text        check (octet_length(last_output) <= 200000)
);

create index cron_jobs_account on panel.cron_jobs (account_id);
create index cron_jobs_added on panel.cron_jobs (added_by) where added_by is not null;

-- The lines of accounts' own crontabs, as the worker last read them.
create table panel.own_crontabs (
  account_id bigint primary key references panel.accounts on delete cascade,
  -- Changes with the file.
  version    text   not null,
  lines      text[] not null check (cardinality(lines) <= 200)
);

grant select on panel.cron_jobs, panel.own_crontabs to panel_api, panel_worker;
