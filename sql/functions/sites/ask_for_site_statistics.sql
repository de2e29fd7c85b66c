-- Requests statistics of a website from the worker, every 10 s at most.
create or replace function panel.ask_for_site_statistics(p_site_id bigint)
returns void
language plpgsql volatile security definer
as $$
begin
  insert into site_statistics as l (site_id, asked_at)
  select s.id, now() from sites s where s.id = p_site_id
  on conflict (site_id) do update set asked_at = excluded.asked_at
  where l.asked_at < now() - interval '10 seconds' or l.asked_at > now();
  if found then
    perform worker_queue.add_job(
      identifier => 'site/read-statistics',
      payload => json_build_object('siteId', p_site_id::text),
      -- In the far past, so that a clock set back delays nothing.
      run_at => '2000-01-01 00:00:00+00',
      max_attempts => 2,
      job_key => 'site/read-statistics:' || p_site_id,
      job_key_mode => 'replace');
  end if;
end;
$$;
grant execute on function panel.ask_for_site_statistics to panel_api;
