-- Returns the state of a cron job and its account for an operation, for its undo; null if the
-- operation may not start yet.
create or replace function panel.find_cron_job(p_id uuid)
returns jsonb
language sql stable strict security definer
as $$
  select find_account(p_id) || coalesce((
    select jsonb_build_object('schedule', j.schedule, 'command', j.command)
    from operations o
    join cron_jobs j on j.id::text = o.params ->> 'job_id' and j.account_id = o.account_id
    where o.id = p_id), '{}');
$$;
grant execute on function panel.find_cron_job to panel_worker;
