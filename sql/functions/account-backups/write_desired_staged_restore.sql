-- Returns the staged restore of an account, with the account, to an operation that completes it.
create or replace function panel.write_desired_staged_restore(p_id uuid)
returns json
language sql volatile strict security definer
as $$
  select write_desired_account(p_id)::jsonb || jsonb_build_object('restore', (
    select jsonb_build_object('id', r.id::text, 'staged', r.staged, 'warnings', r.warnings)
    from account_restores r join operations o on o.account_id = r.account_id
    where o.id = p_id and r.state = 'staged'));
$$;
grant execute on function panel.write_desired_staged_restore to panel_worker;
