-- Writes the steps so far of a running operation on request, and notifies. As an object: steps that
-- are recorded with the end of a start are an array.
create or replace function panel.report_steps(p_id uuid, p_epoch integer, p_steps json)
returns void
language plpgsql volatile security definer
as $$
begin
  -- The next request writes it again, so it need not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  update operations
  set steps = json_build_object('so_far', p_steps)
  where id = p_id and epoch = p_epoch and state in ('running', 'undoing');
  perform pg_notify('steps_reported', p_id::text);
end;
$$;
grant execute on function panel.report_steps to panel_worker;
