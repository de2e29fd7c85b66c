-- Returns the steps so far of a running operation, as its worker has reported them (report_steps).
create or replace function panel.show_running_steps(p_id uuid)
returns json
language sql stable security definer
as $$
  select case json_typeof(o.steps) when 'object' then o.steps -> 'so_far' end
  from operations o
  where o.id = p_id and o.state in ('running', 'undoing');
$$;
grant execute on function panel.show_running_steps to panel_api;
