-- Turns a claimed request into work on an account: at once, or parked behind the operation that
-- is under way there.  `p_wants` names the account's columns to change; the worker judges them.
create or replace function panel.begin_operation(
  p_id uuid,
  p_name text,
  p_account_id bigint,
  p_wants jsonb
)
returns void
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_username text;
  v_is_busy  boolean;
begin
  -- The names that a caller may begin; a closed list, so that whoever can call this function can
  -- wake no other task.
  if p_name not in ('account/create', 'account/suspend', 'account/unsuspend',
    'account/change-package', 'account/set-password', 'account/terminate') then
    raise exception 'no operation is called %', p_name;
  end if;

  -- Root judges the values; what is no column of these is not even written down.
  if p_wants - array['wanted', 'suspend_reason', 'suspended_by', 'package_id', 'password_hash']
    <> '{}' then
    raise exception 'an operation may not want %', p_wants;
  end if;

  select username into strict v_username from accounts where id = p_account_id for no key update;

  v_is_busy := exists (
    select from operations
    where account_id = p_account_id and state in ('parked', 'queued', 'running', 'undoing'));

  update operations
  set name = p_name, account_id = p_account_id, username = v_username, wants = p_wants,
    state = case when v_is_busy then 'parked' else 'queued' end,
    epoch = case when v_is_busy then epoch else epoch + 1 end,
    queue_job_id = case
      when not v_is_busy then add_operation_job(id, p_name, token_id, key, epoch + 1)
    end
  where id = p_id and state = 'claimed';
  if not found then
    raise exception 'operation % is not claimed', p_id;
  end if;
end;
$$;

revoke execute on function panel.begin_operation from public;
grant execute on function panel.begin_operation to panel_api;
