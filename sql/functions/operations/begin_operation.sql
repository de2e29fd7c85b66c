-- Turns a claimed request into work in a lane: at once, or blocked behind the operation in progress
-- there. `p_params` has the changes for the operation's resource kind; the worker validates the
-- values. An operation that operation_names does not allow this channel is refused, so that a
-- caller of this function can wake no other task.
create or replace function panel.begin_operation(
  p_id uuid,
  p_name text,
  -- Null for an operation of the server.
  p_account_id bigint,
  p_params jsonb
)
returns void
language plpgsql volatile security definer
as $$
declare
  v_lane     bigint := coalesce(p_account_id, 0);
  v_username text;
  v_is_busy  boolean;
begin
  -- Locks like lock_lane, and reads the name at the same time.
  select a.username into v_username
  from accounts a where a.id = p_account_id
  for no key update;
  if not found and not (p_account_id is null and lock_lane(0)) then
    raise exception 'there is no lane %', v_lane;
  end if;
  v_is_busy := exists (
    select from operations
    where lane = v_lane and state in ('blocked', 'queued', 'running', 'undoing'));
  if v_is_busy then
    if (select caller_role from operations where id = p_id) = 'customer'
      and (select count(*) from operations
        where lane = v_lane and state = 'blocked' and caller_role = 'customer') >= 5
    then
      raise exception 'too many of its customer wait' using errcode = 'WAIT5';
    end if;
  end if;
  update operations o
  set name = p_name, account_id = p_account_id, is_server = v_lane = 0, params = p_params,
    username = v_username,
    state = case when v_is_busy then 'blocked' else 'queued' end,
    epoch = case when v_is_busy then o.epoch else o.epoch + 1 end,
    queue_job_id = case
      when not v_is_busy then add_worker_job(
        p_name, json_build_object('operationId', o.id),
        o.caller || ':' || o.key || ':' || o.epoch + 1)
    end
  from operation_names n
  where o.id = p_id and o.state = 'claimed'
    and n.name = p_name and n.lane = case v_lane when 0 then 'server' else 'account' end
    and case split_part(o.caller, ':', 1)
      when 'token' then 'api' when 'session' then 'page' when 'root' then 'cli' end
      = any (n.channels)
    and p_params - n.params = '{}';
  if not found then
    raise exception 'this caller may not begin % wanting %, or has not claimed it', p_name,
      (select array_agg(k) from jsonb_object_keys(p_params) k);
  end if;
end;
$$;
grant execute on function panel.begin_operation to panel_api;
