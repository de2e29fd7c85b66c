-- Returns the earlier starts of an operation together with its last one, which failed: it is
-- started again, or its key is claimed again. One may fail once a minute for days, so the first,
-- which shows the cause, and the latest are kept.
create or replace function panel.with_last_start(p_operation panel.operations)
returns jsonb
language sql immutable
as $$
  select
    case
      when jsonb_array_length(e.starts) >= 10 then e.starts - 1
      else coalesce(e.starts, '[]')
    end || jsonb_build_object(
      'number', coalesce((e.starts -> -1 ->> 'number')::integer, 0) + 1,
      'error', case
        -- Any other end is recorded, and its starts are counted again.
        when p_operation.state <> 'failed' and p_operation.starts > 0 then 'Interrupted'
        else concat_ws('; its undo failed: ', p_operation.error, p_operation.undo_error)
      end,
      -- Steps that were only reported belong to a start that was interrupted.
      'steps', case json_typeof(p_operation.steps)
        when 'array' then p_operation.steps else '[]' end)
  from (values (p_operation.earlier_starts)) as e (starts);
$$;
