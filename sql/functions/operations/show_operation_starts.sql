-- Returns the record of an operation for administrators: method and target of its request, null for
-- another channel; the steps of its last start, and its earlier starts.
create or replace function panel.show_operation_starts(p_id uuid)
returns table (request text, steps json, earlier_starts jsonb)
language sql stable security definer
as $$
  select o.request, case json_typeof(o.steps) when 'array' then o.steps end, o.earlier_starts
  from operations o where o.id = p_id;
$$;
grant execute on function panel.show_operation_starts to panel_api;
