-- Begins an operation that no request asked for.  Internal: the callers hold the account's row.
create or replace function panel.begin_internal(p_account_id bigint, p_username text, p_name text)
returns void
language plpgsql volatile
set search_path = panel, pg_temp
as $$
declare
  v_id      uuid;
  v_is_busy boolean;
begin
  v_is_busy := exists (
    select from operations
    where account_id = p_account_id and state in ('parked', 'queued', 'running', 'undoing'));
  insert into operations (name, account_id, username, state)
  values (
    p_name, p_account_id, p_username, case when v_is_busy then 'parked' else 'queued' end)
  returning id into v_id;
  if not v_is_busy then
    perform enqueue_operation(v_id);
  end if;
end;
$$;

revoke execute on function panel.begin_internal from public;
