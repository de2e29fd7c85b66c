-- Requests a snapshot of the server from the worker. Repeated requests lead to one snapshot that
-- begins after the last of them.
create or replace function panel.ask_for_snapshot()
returns void
language plpgsql volatile security definer
as $$
begin
  update server_snapshot set asked_at = now();
  perform worker_queue.add_job(
    identifier => 'maintenance/snapshot',
    payload => '{}'::json,
    queue_name => 'maintenance/snapshot',
    -- In the far past, so that a clock set back delays nothing.
    run_at => '2000-01-01 00:00:00+00',
    max_attempts => 3,
    -- The key and the mode of its schedule (src/queue/schedule.ts).
    job_key => 'maintenance/snapshot',
    job_key_mode => 'replace');
end;
$$;
grant execute on function panel.ask_for_snapshot to panel_api, panel_worker;
