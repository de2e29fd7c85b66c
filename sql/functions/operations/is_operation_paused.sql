-- Returns whether an operation of that name may not start now. Operations of a rebuild, which
-- record drift, also wait while rebuilds are paused. Internal.
create or replace function panel.is_operation_paused(p_name text, p_differed text[])
returns boolean
language plpgsql stable
as $$
begin
  return exists (
    select from paused_tasks
    where task = p_name or p_differed is not null and task = 'maintenance/rebuild');
end;
$$;
