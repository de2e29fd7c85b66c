-- Commits that an operation has failed and that its undo begins: what is wanted of the account
-- becomes what the operation had found.  The key is held until the undo has been released.
-- Returns the account to undo for, or no row where a later start has taken over.
create or replace function panel.undo_operation(
  p_id uuid,
  p_epoch integer,
  p_error text,
  -- The answer to keep, where it was refused (4xx) and has not failed.
  p_status integer,
  p_body bytea,
  out account jsonb,
  out password_hash text
)
returns setof record
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_account_id bigint;
begin
  select account_id into v_account_id from operations where id = p_id;
  perform from accounts where id = v_account_id for no key update;

  -- An undo that is taken up again keeps the first cause.
  update operations o
  set state = 'undoing',
    error = case o.state when 'running' then p_error else o.error end,
    found = case
      -- Where the account is gone there was nothing to be found.
      when o.state = 'running' and p_status is not null
        then coalesce(o.found, '{}')
          || jsonb_build_object('status', p_status, 'body', encode(p_body, 'base64'))
      else o.found
    end
  where o.id = p_id and o.epoch = p_epoch and o.state in ('running', 'undoing');
  if not found then
    return;
  end if;

  begin
    perform restore_wanted(p_id);
  exception when integrity_constraint_violation or data_exception then
    -- What was found is not to be had any more: the account stays as it is, to be applied again.
    update accounts set is_applied = false where id = v_account_id;
  end;

  account := account_record(v_account_id);
  select a.password_hash into password_hash from accounts a where a.id = v_account_id;
  return next;
end;
$$;

revoke execute on function panel.undo_operation from public;
grant execute on function panel.undo_operation to panel_worker;
