-- Wakes the job that reads the files of accounts and records the result. Internal.
create or replace function panel.wake_backup_run()
returns void
language sql volatile
as $$
  select worker_queue.add_job(
    identifier => 'backup/run',
    payload => '{}'::json,
    queue_name => 'backup/run',
    -- In the far past, so that a clock set back delays nothing.
    run_at => '2000-01-01 00:00:00+00',
    max_attempts => 3,
    -- The key and the mode of its schedule (src/queue/schedule.ts).
    job_key => 'backup/run',
    job_key_mode => 'replace');
$$;
