-- Has the worker process an account's home now, and read the .htaccess files of its websites.
-- Repeated requests lead to one run that begins after the last of them. Internal.
create or replace function panel.ask_for_rules(p_account_id bigint)
returns void
language plpgsql volatile
as $$
begin
  perform worker_queue.add_job(
    identifier => 'maintenance/homes',
    payload => json_build_object('accountId', p_account_id::text),
    -- In the far past, so that a clock set back delays nothing.
    run_at => '2000-01-01 00:00:00+00',
    max_attempts => 3,
    job_key => 'maintenance/homes:' || p_account_id,
    job_key_mode => 'replace');
end;
$$;
