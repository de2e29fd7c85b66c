-- Returns the names that a website is served under, its domain first. Internal.
create or replace function panel.served_names(p_site_id bigint)
returns text[]
language sql stable
as $$
  select array_agg(prefix || n.name order by n.position, prefix)
  from sites s
  cross join lateral (
    select s.domain as name, 0 as position
    union all
    select x.name, x.id from site_aliases x
    where x.site_id = s.id and x.desired = 'present' and x.added_by is null) n
  cross join unnest(
    case s.settings ->> 'www' when 'off' then array[''] else array['', 'www.'] end) as prefix
  where s.id = p_site_id;
$$;
