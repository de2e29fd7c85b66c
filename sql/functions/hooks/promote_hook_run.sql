-- Enqueues an account's next blocked hook run, if no other is queued or running. Internal: the
-- callers hold the account's row lock.
create or replace function panel.promote_hook_run(p_account_id bigint)
returns boolean
language plpgsql volatile
as $$
declare
  v_next bigint;
begin
  if exists (
    select from hook_runs where account_id = p_account_id and state in ('queued', 'running')
  ) then
    return false;
  end if;

  select event_id into v_next
  from hook_runs
  where account_id = p_account_id and state = 'blocked'
  order by event_id
  limit 1;
  if not found then
    return false;
  end if;
  perform enqueue_hook_run(v_next);
  return true;
end;
$$;
