-- Makes an event's hook scripts due at once, or blocks them behind those of the account's earlier
-- events. Internal: emit calls it.
create or replace function panel.add_hook_run(p_event_id bigint, p_account_id bigint)
returns void
language plpgsql volatile
as $$
declare
  v_is_busy boolean;
begin
  -- The end of a run looks up the account's next one under the same lock.
  perform from accounts where id = p_account_id for no key update;
  v_is_busy := exists (
    select from hook_runs where account_id = p_account_id and state <> 'done');

  insert into hook_runs (event_id, account_id, state, epoch, queue_job_id)
  values (
    p_event_id, p_account_id,
    case when v_is_busy then 'blocked' else 'queued' end,
    case when v_is_busy then 0 else 1 end,
    case when not v_is_busy then add_worker_job(
      'hook/run', json_build_object('eventId', p_event_id::text), 'hook:' || p_event_id || ':1',
      p_priority => 10) end);
end;
$$;
