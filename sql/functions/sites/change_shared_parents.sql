-- Adds shared parents to the list and takes others from it, or replaces it by those that are added,
-- and returns it; or changes nothing and says why: `refusal` is long, it would have more than
-- `p_max`, or unknown, `unlisted` is to be taken from it and is not on it.
create or replace function panel.change_shared_parents(
  p_is_cleared boolean,
  p_added text[],
  p_removed text[],
  p_max integer,
  out domains text[],
  out refusal text,
  out unlisted text
)
language plpgsql volatile security definer
as $$
begin
  -- The lock under which domains are added: each is checked against the list before or after.
  perform pg_advisory_xact_lock(-3);
  if exists (select from unnest(p_added) as domain where is_domain(domain) is not true) then
    raise exception 'this is no domain' using errcode = 'data_exception';
  end if;
  select removed into unlisted
  from unnest(p_removed) as removed
  where not exists (select from shared_parents p where p.domain = removed)
  limit 1;
  if unlisted is not null then
    refusal := 'unknown';
    return;
  end if;
  select coalesce(array_agg(kept.domain order by kept.domain), '{}') into domains
  from (
    select p.domain from shared_parents p where not p_is_cleared and p.domain <> all (p_removed)
    union
    select unnest(p_added)) as kept (domain);
  if cardinality(domains) > p_max then
    domains := null;
    refusal := 'long';
    return;
  end if;
  delete from shared_parents p where p.domain <> all (domains);
  insert into shared_parents (domain) select unnest(domains) on conflict do nothing;
end;
$$;
grant execute on function panel.change_shared_parents to panel_api;
