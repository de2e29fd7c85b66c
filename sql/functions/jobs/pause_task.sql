-- Pauses a task and returns since when; one that is already paused keeps its time.
create or replace function panel.pause_task(p_task text)
returns timestamptz
language sql volatile security definer
as $$
  insert into paused_tasks as p (task) values (p_task)
  on conflict (task) do update set paused_at = p.paused_at
  returning paused_at;
$$;
grant execute on function panel.pause_task to panel_api;
