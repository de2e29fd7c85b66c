-- Reserves a website's name for an account and the operation that adds it; or adds nothing and
-- returns why: `refusal` is sites (the package allows `allowed`), domain (it is taken) or a
-- result of domain_conflict.sql.
create or replace function panel.add_site(
  p_operation_id uuid,
  p_account_id bigint,
  p_domain text,
  -- Whether the caller is root on the command line (domain_conflict.sql).
  p_is_root boolean default false,
  out id bigint,
  out refusal text,
  out allowed integer
)
language plpgsql volatile security definer
as $$
begin
  -- Concurrent requests cannot both take the last slot, nor two accounts a domain and one below it.
  perform lock_lane(p_account_id);
  perform pg_advisory_xact_lock(-3);

  if not exists (select from operations o where o.id = p_operation_id and o.state = 'claimed') then
    raise exception 'operation % is not claimed', p_operation_id;
  end if;
  if is_domain(p_domain) is not true then
    raise exception 'this is no domain' using errcode = 'data_exception';
  end if;

  -- A website whose add could not be undone at once, so that it was never the account's own. One
  -- that is being removed counts as taken until it is gone, as the removal may fail.
  update sites s set desired = 'reserved', added_by = p_operation_id
  where s.account_id = p_account_id and s.domain = p_domain and s.desired = 'absent'
    and s.added_by is not null
  returning s.id into id;
  if found then
    return;
  end if;

  select min(p.max_sites) into allowed from packages_of(p_account_id) p;
  if (select count(*) from sites s where s.account_id = p_account_id) >= allowed then
    refusal := 'sites';
  else
    refusal := domain_conflict(p_account_id, p_domain, p_is_root);
  end if;
  if refusal is null then
    insert into sites as s (account_id, domain, desired, added_by)
    values (p_account_id, p_domain, 'reserved', p_operation_id)
    returning s.id into id;
    insert into site_names (name, site_id)
    select name, add_site.id from unnest(array[p_domain, 'www.' || p_domain]) as name;
  end if;
exception when unique_violation then
  id := null;
  refusal := 'domain';
end;
$$;
grant execute on function panel.add_site to panel_api;
