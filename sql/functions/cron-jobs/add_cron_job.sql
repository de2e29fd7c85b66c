-- Reserves a cron job for an account and the operation that adds it; `id` is null if the account
-- has the number that its package allows, or that of a change in progress, whichever is less.
create or replace function panel.add_cron_job(
  p_operation_id uuid,
  p_account_id bigint,
  p_schedule text,
  p_command text,
  out id bigint,
  out allowed integer
)
language plpgsql volatile security definer
as $$
begin
  -- Concurrent requests cannot both take the last slot.
  perform lock_lane(p_account_id);
  if not exists (select from operations o where o.id = p_operation_id and o.state = 'claimed') then
    raise exception 'operation % is not claimed', p_operation_id;
  end if;
  if not is_cron_schedule(p_schedule) or not is_cron_command(p_command) then
    raise exception 'this is no cron job' using errcode = 'data_exception';
  end if;
  select min(p.max_cron_jobs) into allowed from packages_of(p_account_id) p;
  if (select count(*) from cron_jobs j where j.account_id = p_account_id) >= allowed then
    return;
  end if;
  insert into cron_jobs as j (account_id, schedule, command, added_by)
  values (p_account_id, p_schedule, p_command, p_operation_id)
  returning j.id into id;
end;
$$;
grant execute on function panel.add_cron_job to panel_api;
