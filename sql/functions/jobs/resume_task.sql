-- Resumes a task: the sweepers wake its jobs within 2 s.  False if it was not paused.
create or replace function panel.resume_task(p_task text)
returns boolean
language plpgsql volatile security definer
as $$
begin
  delete from paused_tasks where task = p_task;
  return found;
end;
$$;
grant execute on function panel.resume_task to panel_api;
