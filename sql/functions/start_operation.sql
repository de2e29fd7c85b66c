-- Starts an operation, or starts it again after its worker died: raises the epoch, so that an
-- earlier start can write nothing any more, and writes down what is wanted of the account.
-- Returns no row where there is nothing to do: it is finished, it is not its turn, or its task is
-- paused, which holds up only what has not begun.
--
-- It first takes the account's advisory lock for the caller's session, who holds it for as long as
-- it changes the machine; where another session has it, `is_held` is false and nothing has begun.
create or replace function panel.start_operation(
  p_id uuid,
  out is_held boolean,
  out epoch integer,
  out starts integer,
  out state text,
  out username text,
  -- Who had suspended the account before, and on whose behalf this was asked.
  out found_suspended_by text,
  out owner_role text,
  out account jsonb,
  out password_hash text,
  -- Why what is wanted cannot be, where a row asks for what the schema forbids.
  out error text
)
returns setof record
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_account_id bigint;
  v_token_id   bigint;
begin
  select o.account_id into v_account_id
  from operations o
  where o.id = p_id and o.state in ('queued', 'running', 'undoing')
    and (o.state <> 'queued' or not is_operation_paused(o.name, o.differed));
  if not found then
    return;
  end if;
  is_held := coalesce(pg_try_advisory_lock(v_account_id), true);
  if not is_held then
    return next;
    return;
  end if;

  -- A start that a crash of the server forgets only happens again: nobody was told of it, and the
  -- lock, with the session, was lost too.  So it need not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);

  -- Accounts are locked before operations, always.  Whoever has the row now is waited for by asking
  -- again: all operations are started on one connection.
  perform from accounts a where a.id = v_account_id for no key update skip locked;
  if not found and v_account_id is not null then
    perform pg_advisory_unlock(v_account_id);
    is_held := false;
    return next;
    return;
  end if;

  update operations o
  set epoch = o.epoch + 1,
    starts = o.starts + 1,
    state = case o.state when 'queued' then 'running' else o.state end,
    started_at = coalesce(o.started_at, now()),
    found = coalesce(o.found, (
      select jsonb_build_object(
        'wanted', a.wanted,
        'suspend_reason', a.suspend_reason,
        'suspended_by', a.suspended_by,
        'package_id', a.package_id,
        'password_hash', a.password_hash,
        'is_applied', a.is_applied)
      from accounts a where a.id = o.account_id))
  where o.id = p_id and o.state in ('queued', 'running', 'undoing')
    -- A repeat may have begun it on another account since; that one's own job will start it.
    and o.account_id is not distinct from v_account_id
  returning o.epoch, o.starts, o.state, o.username, o.found ->> 'suspended_by', o.token_id
  into epoch, starts, state, username, found_suspended_by, v_token_id;
  if not found then
    -- It has ended, or begun anew, while we waited for its row.
    perform pg_advisory_unlock(v_account_id);
    return;
  end if;

  if state = 'running' then
    begin
      update accounts a
      set wanted = coalesce(o.wants ->> 'wanted', a.wanted),
        -- Suspended again, it stays as it was suspended first.
        suspend_reason = case when a.wanted <> o.wants ->> 'wanted'
          then o.wants ->> 'suspend_reason' else a.suspend_reason end,
        suspended_by = case when a.wanted <> o.wants ->> 'wanted'
          then o.wants ->> 'suspended_by' else a.suspended_by end,
        package_id = coalesce((o.wants ->> 'package_id')::bigint, a.package_id),
        password_hash = coalesce(o.wants ->> 'password_hash', a.password_hash),
        -- A terminate only goes forward: from its start the account is on its way out.
        state = case o.wants ->> 'wanted' when 'terminated' then 'terminating' else a.state end,
        is_applied = false
      from operations o
      where o.id = p_id and a.id = o.account_id and a.state <> 'terminated'
        -- Nothing is to be done where the machine agrees with just that already.
        and (a.wanted is distinct from o.wants ->> 'wanted' or not a.is_applied)
        and o.wants <> '{}';
    exception when integrity_constraint_violation or data_exception then
      -- It can never be written down: the start counts, and the worker fails the operation.
      error := sqlerrm;
    end;
  end if;

  select w.role into owner_role
  from tokens t join owners w on w.id = t.owner_id
  where t.id = v_token_id;
  account := account_record(v_account_id);
  select a.password_hash into password_hash from accounts a where a.id = v_account_id;
  return next;
end;
$$;

revoke execute on function panel.start_operation from public;
grant execute on function panel.start_operation to panel_worker;
