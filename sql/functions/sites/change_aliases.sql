-- Reserves further names of a website for the operation that adds them, and returns those that it
-- removes. Or changes nothing and returns why, with the name: `refusal` is aliases (the package
-- allows `allowed`), website (a website may have `allowed`), unknown (a removed name is none of its
-- aliases), own (its own domain), busy (another operation adds or removes it), domain (it is taken)
-- or a result of domain_conflict.sql.
create or replace function panel.change_aliases(
  p_operation_id uuid,
  p_account_id bigint,
  p_site_id bigint,
  p_added text[],
  -- Null for all others.
  p_removed text[],
  -- The maximum number for a website.
  p_max integer,
  -- Whether the caller is root on the command line (domain_conflict.sql).
  p_is_root boolean default false,
  out removed text[],
  out refusal text,
  out name text,
  out allowed integer
)
language plpgsql volatile security definer
as $$
#variable_conflict use_column
declare
  v_domain  text;
  v_alias   site_aliases%rowtype;
  v_name    text;
  v_refusal text;
  v_allowed integer;
  v_new     integer := 0;
begin
  -- As in add_site.
  perform lock_lane(p_account_id);
  perform pg_advisory_xact_lock(-3);

  if not exists (select from operations o where o.id = p_operation_id and o.state = 'claimed') then
    raise exception 'operation % is not claimed', p_operation_id;
  end if;
  if exists (select from unnest(p_added) as added where is_domain(added) is not true) then
    raise exception 'this is no domain' using errcode = 'data_exception';
  end if;
  select s.domain into strict v_domain
  from sites s where s.id = p_site_id and s.account_id = p_account_id;

  select coalesce(array_agg(x.name order by x.id), '{}') into removed
  from site_aliases x
  where x.site_id = p_site_id and x.desired <> 'absent' and x.name <> all (p_added)
    and (p_removed is null or x.name = any (p_removed));
  select gone into v_name from unnest(p_removed) as gone where gone <> all (removed) limit 1;
  if found then
    v_refusal := 'unknown';
    raise exception using errcode = 'NAME1';
  end if;

  foreach v_name in array p_added loop
    select * into v_alias from site_aliases x where x.site_id = p_site_id and x.name = v_name;
    v_refusal := case
      when v_name in (v_domain, 'www.' || v_domain) then 'own'
      when v_alias.desired = 'reserved' and v_alias.added_by <> p_operation_id
        or v_alias.desired = 'absent' and v_alias.added_by is null
        or exists (
          select from operations o
          where o.lane = p_account_id and o.state in ('blocked', 'queued', 'running', 'undoing')
            and o.params -> 'removed_aliases' ? v_name)
        then 'busy'
    end;
    if v_refusal is not null then
      raise exception using errcode = 'NAME1';
    end if;
    continue when v_alias.desired in ('reserved', 'present');

    v_new := v_new + 1;
    -- One whose add could not be undone at once, so that it was never the website's own.
    if v_alias.desired = 'absent' then
      update site_aliases x set desired = 'reserved', added_by = p_operation_id
      where x.id = v_alias.id;
      continue;
    end if;
    v_refusal := domain_conflict(p_account_id, v_name, p_is_root);
    if v_refusal is not null then
      raise exception using errcode = 'NAME1';
    end if;
    insert into site_aliases (site_id, account_id, name, added_by)
    values (p_site_id, p_account_id, v_name, p_operation_id)
    returning * into v_alias;
    insert into site_names (name, site_id, alias_id)
    select one, p_site_id, v_alias.id from unnest(array[v_name, 'www.' || v_name]) as one;
  end loop;

  v_name := null;
  if v_new = 0 then
    return;
  end if;
  v_allowed := p_max;
  if (select count(*) from site_aliases x where x.site_id = p_site_id and x.name <> all (removed))
    > v_allowed
  then
    v_refusal := 'website';
    raise exception using errcode = 'NAME1';
  end if;
  select min(p.max_aliases) into v_allowed from packages_of(p_account_id) p;
  if (select count(*) from site_aliases x
      where x.account_id = p_account_id
        and not (x.site_id = p_site_id and x.name = any (removed))) > v_allowed
  then
    v_refusal := 'aliases';
    raise exception using errcode = 'NAME1';
  end if;
exception
  when sqlstate 'NAME1' then
    removed := null;
    refusal := v_refusal;
    name := v_name;
    allowed := v_allowed;
  when unique_violation then
    removed := null;
    refusal := 'domain';
    name := v_name;
end;
$$;
grant execute on function panel.change_aliases to panel_api;
