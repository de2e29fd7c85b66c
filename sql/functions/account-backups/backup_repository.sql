-- Returns a repository with its sealed key and its target for the worker.
create or replace function panel.backup_repository(p_id bigint)
returns json
language sql stable strict security definer
as $$
  select json_build_object(
    'id', r.id::text, 'username', r.username, 'sealedKey', r.sealed_key,
    'isCreated', r.is_created, 'targetName', t.name, 'target', t.target)
  from backup_repositories r join backup_targets t on t.id = r.target_id
  where r.id = p_id;
$$;
grant execute on function panel.backup_repository to panel_worker;
