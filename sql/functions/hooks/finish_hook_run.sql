-- Ends the hook scripts of an event and promotes the account's next ones.  Returns false, having
-- changed nothing, if a later start has taken over (another epoch).
create or replace function panel.finish_hook_run(
  p_event_id bigint,
  p_epoch integer,
  p_error text
)
returns boolean
language plpgsql volatile security definer
as $$
declare
  v_account_id bigint;
begin
  -- An end that is lost in a crash of the server is repeated, and finds all scripts recorded.
  perform set_config('synchronous_commit', 'off', true);

  select account_id into v_account_id from hook_runs where event_id = p_event_id;
  perform from accounts where id = v_account_id for no key update;

  update hook_runs
  set state = 'done', error = p_error, finished_at = now()
  where event_id = p_event_id and epoch = p_epoch and state = 'running';
  if not found then
    return false;
  end if;
  perform promote_hook_run(v_account_id);
  return true;
end;
$$;
grant execute on function panel.finish_hook_run to panel_worker;
