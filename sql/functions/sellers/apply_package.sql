-- Begins an operation that applies a changed package for its next accounts, each in its lane. An
-- account with a waiting one already reads the package when its turn comes. Returns whether there
-- may be more.
create or replace function panel.apply_package(p_package_id bigint, p_limit integer)
returns boolean
language plpgsql volatile security definer
as $$
declare
  v_after   bigint;
  v_cause   uuid;
  v_account record;
  v_count   integer := 0;
begin
  select p.apply_after, p.apply_cause into v_after, v_cause
  from packages p where p.id = p_package_id for no key update;
  if v_after is null then
    return false;
  end if;

  for v_account in
    select a.id
    from accounts a
    where a.package_id = p_package_id and a.id > v_after and a.state in ('active', 'suspended')
    order by a.id
    limit p_limit
    for no key update
  loop
    v_count := v_count + 1;
    v_after := v_account.id;
    continue when exists (
      select from operations o
      where o.lane = v_account.id and o.name = 'account/apply'
        and o.state in ('blocked', 'queued'));
    perform begin_internal(v_account.id, 'account/apply', v_cause);
  end loop;

  update packages p
  set apply_after = case when v_count < p_limit then null else v_after end
  where p.id = p_package_id;
  return v_count = p_limit;
end;
$$;
grant execute on function panel.apply_package to panel_worker;
