-- Records the worker's findings in .htaccess files of an account's websites; deleted websites are
-- skipped.
create or replace function panel.record_site_rules(p_account_id bigint, p_sites jsonb)
returns void
language plpgsql volatile security definer
as $$
begin
  insert into site_rules (site_id, found, read_at)
  select s.id, e.value -> 'rules', now()
  from jsonb_array_elements(p_sites) e
  join sites s on s.id::text = e.value ->> 'siteId' and s.account_id = p_account_id
  order by s.id
  for key share of s
  on conflict (site_id) do update set found = excluded.found, read_at = excluded.read_at;
end;
$$;
grant execute on function panel.record_site_rules to panel_worker;
