-- Returns the target of backups that an operation is about: the one that it asks for, or else that
-- of the row; null if there is none. `before` is that of the row. The worker validates both, and
-- the row gets the target at the end.
create or replace function panel.write_desired_backup_target(p_id uuid)
returns json
language sql volatile strict security definer
as $$
  select json_build_object(
    'name', o.params -> 'target_name',
    'isDefault', o.params -> 'is_default',
    'target', case when o.params ? 'target' then o.params -> 'target' else t.target end,
    'before', t.target,
    'repositories', (
      select count(*) from backup_repositories r where r.target_id = t.id))
  from operations o
  left join backup_targets t on t.name = o.params ->> 'target_name'
  where o.id = p_id;
$$;
grant execute on function panel.write_desired_backup_target to panel_worker;
