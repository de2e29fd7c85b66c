-- Wakes the worker for an operation, again or for the first time, under a new epoch. Internal: the
-- callers hold the lane lock.
create or replace function panel.enqueue_operation(p_id uuid)
returns void
language plpgsql volatile
as $$
begin
  update operations
  set epoch = epoch + 1,
    state = case state when 'blocked' then 'queued' else state end,
    due_at = now(),
    queue_job_id = add_worker_job(
      name, json_build_object('operationId', id),
      coalesce(caller || ':' || key, 'internal:' || id) || ':' || epoch + 1)
  where id = p_id;
end;
$$;
