-- Hands an operation that must continue, but cannot now, to the sweeper: it is resumed after a
-- pause as long as it has taken so far, from 2 s to a minute. It does not count as interrupted. If
-- its undo failed, its error stays the cause of the undo.
create or replace function panel.defer_operation(
  p_id uuid,
  p_epoch integer,
  p_error text,
  -- The steps, with times.
  p_steps json default null
)
returns void
language sql volatile security definer
as $$
  update operations
  set due_at = now()
      + least(greatest(now() - started_at, interval '2 seconds'), interval '1 minute'),
    starts = 0,
    error = case state when 'running' then p_error else error end,
    undo_error = case state when 'undoing' then p_error end,
    steps = p_steps
  where id = p_id and epoch = p_epoch and state in ('running', 'undoing');
$$;
grant execute on function panel.defer_operation to panel_worker;
