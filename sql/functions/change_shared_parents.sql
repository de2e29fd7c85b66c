-- Adds shared parents to the list and takes others from it, or replaces it by those that are added,
-- and returns it.  Null where it would become too long: nothing is changed then.
create or replace function panel.change_shared_parents(
  p_is_cleared boolean,
  p_added text[],
  p_removed text[],
  p_most integer
)
returns text[]
language plpgsql volatile security definer
as $$
declare
  v_domains text[];
begin
  -- The lock under which domains are added: each of them is judged by the list before or after.
  perform pg_advisory_xact_lock(-3);
  if exists (select from unnest(p_added) as domain where is_domain(domain) is not true) then
    raise exception 'this is no domain' using errcode = 'data_exception';
  end if;
  select coalesce(array_agg(kept.domain order by kept.domain), '{}') into v_domains
  from (
    select domain from shared_parents where not p_is_cleared and domain <> all (p_removed)
    union
    select unnest(p_added)) as kept (domain);
  if cardinality(v_domains) > p_most then
    return null;
  end if;
  delete from shared_parents where domain <> all (v_domains);
  insert into shared_parents (domain) select unnest(v_domains) on conflict do nothing;
  return v_domains;
end;
$$;
grant execute on function panel.change_shared_parents to panel_api;
