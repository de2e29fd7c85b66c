-- Begins an `account/apply` for the next accounts whose undo was incomplete, and returns how many.
-- If it fails it ends, and the account is due again later: other requests do not wait behind it,
-- and converge too. Internal.
create or replace function panel.sweep_unapplied()
returns integer
language plpgsql volatile
as $$
declare
  v_account record;
  v_count   integer := 0;
begin
  for v_account in
    select a.id
    from accounts a
    where a.apply_due_at <= now() and a.state in ('active', 'suspended')
      and not is_paused('account/apply')
      -- An operation in progress ends in an apply, or makes the account due.
      and not exists (
        select from operations o
        where o.lane = a.id and o.state in ('blocked', 'queued', 'running', 'undoing'))
    order by a.apply_due_at
    -- A cause that all accounts share (a broken nginx) must not occupy the worker.
    limit 5
    for no key update skip locked
  loop
    update accounts set apply_due_at = null where id = v_account.id;
    perform begin_internal(v_account.id, 'account/apply');
    v_count := v_count + 1;
  end loop;
  return v_count;
end;
$$;
