-- Ends an operation that has not begun: its caller is told so, its key is free, nothing was done.
-- A create takes its account's row along.  Returns `cancelled`, or why it was not: `internal` where
-- the panel itself asked for it, `begun`, `ended`; null where there is none.
create or replace function panel.cancel_operation(p_id uuid)
returns text
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_account_id bigint;
  v_row        operations%rowtype;
begin
  loop
    select account_id into v_account_id from operations where id = p_id;
    exit when not found;
    perform from accounts where id = v_account_id for no key update;
    -- A repeat may have begun it on another account since.
    select * into v_row
    from operations
    where id = p_id and account_id is not distinct from v_account_id
    for no key update;
    exit when found;
  end loop;

  if v_row.id is null then
    return null;
  elsif v_row.state in ('done', 'failed') then
    return 'ended';
  elsif v_row.state not in ('parked', 'queued') then
    return 'begun';
  elsif v_row.token_id is null then
    return 'internal';
  end if;

  update operations
  set state = 'failed', is_cancelled = true, epoch = epoch + 1, wants = '{}',
    error = 'Cancelled before it began', finished_at = now()
  where id = p_id;
  if v_row.state = 'queued' then
    perform release_account(v_account_id);
  end if;
  perform pg_notify('operation_finished', p_id::text);
  return 'cancelled';
end;
$$;

revoke execute on function panel.cancel_operation from public;
