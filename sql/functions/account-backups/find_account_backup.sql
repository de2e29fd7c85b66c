-- Returns the state of an account for an operation that backs it up. Null if the operation may not
-- start yet.
create or replace function panel.find_account_backup(p_id uuid)
returns jsonb
language sql stable strict security definer
as $$
  select find_account(p_id);
$$;
grant execute on function panel.find_account_backup to panel_worker;
