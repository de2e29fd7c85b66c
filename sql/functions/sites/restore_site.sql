-- Restores a website to its state before an operation: an added one is deleted from the machine,
-- and the row of one that never reached the machine is deleted at once. Internal:
-- revert_desired_state calls it.
create or replace function panel.restore_site(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
begin
  if not p_is_over then
    -- A site whose earlier add failed stays marked for removal, even if this removal fails too.
    update sites s
    set desired = case when s.added_by is null then 'present' else 'absent' end
    from operations o
    where o.id = p_id and s.id::text = o.params ->> 'site_id' and s.account_id = o.account_id;
    update site_aliases x
    set desired = case when x.added_by is null then 'present' else 'absent' end
    from operations o
    where o.id = p_id and o.params ? 'removed_aliases'
      and x.site_id::text = o.params ->> 'site_id' and x.account_id = o.account_id
      and (x.added_by = p_id or o.params -> 'removed_aliases' ? x.name);
    update sites s
    set settings = o.before -> 'settings'
    from operations o
    where o.id = p_id and o.name = 'site/set' and o.before ? 'settings'
      and s.id::text = o.params ->> 'site_id' and s.account_id = o.account_id;
    perform ask_for_rules(o.account_id)
    from operations o
    where o.id = p_id and o.name = 'site/set' and o.before ? 'settings';
    return;
  end if;
  -- The machine may still have something of a site that was taken over from an undone add.
  update sites s
  set desired = 'absent'
  from accounts a
  where s.added_by = p_id and s.desired = 'reserved' and a.id = s.account_id and not a.is_applied;
  delete from sites where added_by = p_id and desired = 'reserved';
  update site_aliases x
  set desired = 'absent'
  from accounts a
  where x.added_by = p_id and x.desired = 'reserved' and a.id = x.account_id and not a.is_applied;
  delete from site_aliases where added_by = p_id and desired = 'reserved';
end;
$$;
