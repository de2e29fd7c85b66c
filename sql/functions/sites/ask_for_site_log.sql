-- Requests the last lines of a website's logs from the worker, every 2 s at most.
create or replace function panel.ask_for_site_log(p_site_id bigint)
returns void
language plpgsql volatile security definer
as $$
begin
  insert into site_logs as l (site_id, asked_at)
  select s.id, now() from sites s where s.id = p_site_id
  on conflict (site_id) do update set asked_at = excluded.asked_at
  where l.asked_at < now() - interval '2 seconds' or l.asked_at > now();
  if found then
    perform worker_queue.add_job(
      identifier => 'site/read-log',
      payload => json_build_object('siteId', p_site_id::text),
      -- In the far past, so that a clock set back delays nothing.
      run_at => '2000-01-01 00:00:00+00',
      max_attempts => 3,
      job_key => 'site/read-log:' || p_site_id,
      job_key_mode => 'replace');
  end if;
end;
$$;
grant execute on function panel.ask_for_site_log to panel_api;
