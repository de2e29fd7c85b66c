-- Returns the repository of an account at a target; a new one has this sealed key.
create or replace function panel.ensure_backup_repository(
  p_account_id bigint, p_target_id bigint, p_sealed_key text)
returns bigint
language plpgsql volatile strict security definer
as $$
begin
  insert into backup_repositories (target_id, account_id, username, sealed_key)
  select p_target_id, a.id, a.username, p_sealed_key from accounts a where a.id = p_account_id
  on conflict (target_id, account_id) do nothing;
  return (
    select id from backup_repositories
    where target_id = p_target_id and account_id = p_account_id);
end;
$$;
grant execute on function panel.ensure_backup_repository to panel_worker;
