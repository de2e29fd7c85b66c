-- Returns whether that task must not start now.
create or replace function panel.is_paused(p_task text)
returns boolean
language sql stable security definer
as $$
  select exists (select from paused_tasks where task = p_task);
$$;
grant execute on function panel.is_paused to panel_worker, panel_courier;
