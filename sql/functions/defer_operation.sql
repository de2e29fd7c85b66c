-- Leaves an operation whose undo could not be completed to the sweeper, which takes it up again
-- after a pause that doubles with each start, up to a minute.
create or replace function panel.defer_operation(p_id uuid, p_epoch integer, p_error text)
returns void
language sql volatile security definer
set search_path = panel, pg_temp
as $$
  update operations
  set due_at = now() + least(power(2, least(starts, 6)), 60) * interval '1 second', error = p_error
  where id = p_id and epoch = p_epoch and state = 'undoing';
$$;

revoke execute on function panel.defer_operation from public;
grant execute on function panel.defer_operation to panel_worker;
