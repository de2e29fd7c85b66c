-- Adds ranges to the list that administrators may sign in from, or replaces it by them, and returns
-- it.  Null where it would become too long: nothing is changed then.
create or replace function panel.change_sign_in_ranges(
  p_is_cleared boolean,
  p_added cidr[],
  p_max integer
)
returns text[]
language plpgsql volatile security definer
as $$
declare
  v_ranges cidr[];
begin
  -- One change at a time, so that two together cannot make the list too long.
  lock table sign_in_ranges in share row exclusive mode;
  select coalesce(array_agg(desired.range order by desired.range), '{}') into v_ranges
  from (
    select range from sign_in_ranges where not p_is_cleared
    union
    select unnest(p_added)) desired;
  if cardinality(v_ranges) > p_max then
    return null;
  end if;
  delete from sign_in_ranges where range <> all (v_ranges);
  insert into sign_in_ranges (range) select unnest(v_ranges) on conflict do nothing;
  return v_ranges::text[];
end;
$$;
grant execute on function panel.change_sign_in_ranges to panel_api;
