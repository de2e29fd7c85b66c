-- Requests a reading of a website's logs from the worker: their last lines every 2 s at most,
-- statistics, which take longer, every 10 s.
create or replace function panel.ask_for_site_reading(p_site_id bigint, p_kind text)
returns void
language plpgsql volatile security definer
as $$
declare
  v_task constant text :=
    case p_kind when 'log' then 'site/read-log' when 'statistics' then 'site/read-statistics' end;
begin
  insert into site_readings as r (site_id, kind, asked_at)
  select s.id, p_kind, now() from sites s where s.id = p_site_id
  on conflict (site_id, kind) do update set asked_at = excluded.asked_at
  where r.asked_at > now() or r.asked_at < now() -
    case p_kind when 'statistics' then interval '10 seconds' else interval '2 seconds' end;
  if found then
    perform worker_queue.add_job(
      identifier => v_task,
      payload => json_build_object('siteId', p_site_id::text),
      -- In the far past, so that a clock set back delays nothing.
      run_at => '2000-01-01 00:00:00+00',
      max_attempts => 3,
      job_key => v_task || ':' || p_site_id,
      job_key_mode => 'replace');
  end if;
end;
$$;
grant execute on function panel.ask_for_site_reading to panel_api;
