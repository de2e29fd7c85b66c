-- Records the desired state of a website in the lane of its account, for a started operation, and
-- returns the account for the worker. A website that is gone by now is not among its websites.
create or replace function panel.write_desired_site(p_id uuid)
returns json
language plpgsql volatile strict security definer
as $$
declare
  v_operation operations%rowtype;
begin
  select * into v_operation from operations where id = p_id;
  update sites
  set desired = case v_operation.name
      when 'site/add' then 'present'
      when 'site/remove' then 'absent'
      else desired
    end,
    settings = case
      when v_operation.params ? 'settings'
        then (
          -- An empty group of settings is the same as none.
          select coalesce(jsonb_object_agg(key, value), '{}')
          from jsonb_each(merge_patch(settings, v_operation.params -> 'settings'))
          where value <> '{}')
      else settings
    end
  -- As text: a row may hold anything.
  where id::text = v_operation.params ->> 'site_id'
    and account_id = v_operation.account_id and v_operation.state = 'running'
    and not is_suspended_by_admin(p_id);
  if v_operation.params ? 'removed_aliases' and v_operation.state = 'running'
    and not is_suspended_by_admin(p_id)
  then
    update site_aliases x
    set desired = case when x.added_by = p_id then 'present' else 'absent' end
    where x.site_id::text = v_operation.params ->> 'site_id'
      and x.account_id = v_operation.account_id
      and (x.added_by = p_id or v_operation.params -> 'removed_aliases' ? x.name);
  end if;
  -- The unapplied rules of its .htaccess files depend on them, and are read once this is committed.
  if v_operation.params ? 'settings' and v_operation.state = 'running' then
    perform ask_for_rules(v_operation.account_id);
  end if;
  return write_desired_account(p_id)::jsonb
    || jsonb_build_object(
      'siteId', v_operation.params ->> 'site_id', 'domain', v_operation.params ->> 'domain',
      'changes', (
        select json_agg(name)
        from (
          select jsonb_object_keys(v_operation.params -> 'settings')
          union all
          select 'aliases' where v_operation.params ? 'removed_aliases'
        ) as changed (name)));
end;
$$;
grant execute on function panel.write_desired_site to panel_worker;
