-- Records the worker's findings in .htaccess files of an account's websites; deleted websites are
-- skipped. If the folders that files close have changed, nginx gets them by an operation.
create or replace function panel.record_site_rules(p_account_id bigint, p_sites jsonb)
returns void
language plpgsql volatile security definer
as $$
declare
  v_sites jsonb;
begin
  -- A reading that was cut short opens no folder again.
  v_sites := (
    select jsonb_agg(jsonb_build_object('siteId', s.id, 'rules',
      case
        when e.value #> '{rules,isWhole}' = 'false' and r.found ? 'closed'
          then (e.value -> 'rules') || jsonb_build_object('closed', r.found -> 'closed')
        else e.value -> 'rules'
      end))
    from jsonb_array_elements(p_sites) e
    join sites s on s.id::text = e.value ->> 'siteId' and s.account_id = p_account_id
    left join site_rules r on r.site_id = s.id);
  -- The account is locked before its websites, as everywhere.
  if exists (
    select
    from jsonb_array_elements(v_sites) e
    left join site_rules r on r.site_id::text = e.value ->> 'siteId'
    where coalesce(r.found -> 'closed', '[]') <> coalesce(e.value #> '{rules,closed}', '[]'))
  then
    perform apply_accounts(array[p_account_id]);
  end if;
  insert into site_rules (site_id, found, read_at)
  select s.id, e.value -> 'rules', now()
  from jsonb_array_elements(v_sites) e
  join sites s on s.id::text = e.value ->> 'siteId' and s.account_id = p_account_id
  order by s.id
  for key share of s
  on conflict (site_id) do update set found = excluded.found, read_at = excluded.read_at;
end;
$$;
grant execute on function panel.record_site_rules to panel_worker;
