-- Marks the next repository whose old backups are due to be removed, and returns it with the
-- numbers of backups that its account's package keeps; null if there is none. That is done once a
-- week, and never for the repository of a terminated account, or at a target that deletes nothing.
create or replace function panel.find_prunable_repository()
returns json
language plpgsql volatile security definer
as $$
declare
  v_repository_id bigint;
  v_keep          json;
begin
  select r.id, json_build_object(
    'hourly', case p.backups when 'hourly' then 24 else 0 end,
    'daily', p.keep_daily, 'weekly', p.keep_weekly, 'monthly', p.keep_monthly)
  into v_repository_id, v_keep
  from backup_repositories r
  join accounts a on a.id = r.account_id and a.state <> 'terminated'
  join packages p on p.id = a.package_id
  join backup_targets t on t.id = r.target_id
  where r.is_created and r.pruned_at < now() - interval '7 days'
    and not coalesce((t.target #>> '{address,is_append_only}')::boolean, false)
    and not exists (
      select from account_backups b
      where b.repository_id = r.id and b.state in ('ready', 'running'))
    and not exists (
      select from account_restores s
      where s.repository_id = r.id and s.state in ('saving', 'reading', 'staged'))
  order by r.pruned_at
  limit 1
  for no key update of r;
  if not found then
    return null;
  end if;
  -- A failed one is repeated with the next week's.
  update backup_repositories set is_dirty = true, pruned_at = now() where id = v_repository_id;
  return json_build_object('keep', v_keep, 'repository', backup_repository(v_repository_id));
end;
$$;
grant execute on function panel.find_prunable_repository to panel_worker;
