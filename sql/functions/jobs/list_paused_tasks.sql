-- Lists paused tasks, the longest paused first.
create or replace function panel.list_paused_tasks()
returns table (task text, paused_at timestamptz)
language sql stable security definer
as $$
  select p.task, p.paused_at from paused_tasks p order by p.paused_at, p.task;
$$;
grant execute on function panel.list_paused_tasks to panel_api;
