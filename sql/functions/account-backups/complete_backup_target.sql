-- Records a target of backups that has passed its test, or removes one that no repository uses. The
-- first target is the default, and so is the oldest one after the default was removed. Nothing
-- changes if the operation was undone.
create or replace function panel.complete_backup_target(p_id uuid, p_change jsonb)
returns void
language plpgsql volatile strict security definer
as $$
declare
  v_name text := p_change ->> 'name';
begin
  if p_change ? 'target' then
    if (p_change ->> 'is_default')::boolean then
      update backup_targets set is_default = false where is_default and name <> v_name;
    end if;
    insert into backup_targets as t (name, target, is_default)
    values (v_name, p_change -> 'target', coalesce((p_change ->> 'is_default')::boolean, false))
    on conflict (name) do update
    set target = excluded.target, tested_at = now(),
      is_default = t.is_default or excluded.is_default;
  elsif p_change ? 'is_tested' then
    update backup_targets set tested_at = now() where name = v_name;
  elsif p_change ? 'is_removed' then
    -- A backup that is beginning there may have made a repository: it waits, or the target stays.
    perform from backup_targets where name = v_name for update;
    delete from backup_targets t
    where t.name = v_name
      and not exists (select from backup_repositories r where r.target_id = t.id);
  end if;
  update backup_targets set is_default = true
  where id = (select min(id) from backup_targets)
    and not exists (select from backup_targets where is_default);
end;
$$;
grant execute on function panel.complete_backup_target to panel_worker;
