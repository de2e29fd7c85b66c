-- Returns the websites of an account for pages, oldest first, with the state of their certificates
-- and why one is missing.
create or replace function panel.show_sites(p_account_id bigint)
returns table (
  id text,
  domain text,
  state text,
  ssl text,
  -- Its settings, with the names of users instead of their password hashes.
  settings jsonb,
  -- Its further names.
  aliases text[],
  -- The names on the served certificate, and its expiry.
  names text[],
  issuer text,
  expires_at timestamptz,
  -- Why its names do not point here, or why an order failed.
  error text,
  -- When the next check is due; null if none is planned.
  due_at timestamptz,
  -- Whether this server gets certificates at all.
  is_issuing boolean,
  -- Why names are not on the certificate, by name; null before the first check.
  missing jsonb,
  -- The rules in its .htaccess files that are not applied, and when they were read; null before.
  rules jsonb,
  rules_read_at timestamptz
)
language sql stable security definer
as $$
  select s.id::text, s.domain,
    case
      when s.added_by is not null then 'adding'
      when s.desired = 'absent' then 'removing'
      else 'present'
    end,
    s.ssl,
    case
      when s.settings ? 'users' then s.settings || jsonb_build_object('users', (
        select jsonb_agg(name order by name) from jsonb_object_keys(s.settings -> 'users') as name))
      else s.settings
    end,
    array(select x.name from site_aliases x where x.site_id = s.id and x.desired = 'present'
      order by x.id),
    c.installed_names, c.issuer, c.expires_at, c.error, c.due_at, v.issues_certificates,
    c.missing, r.found, r.read_at
  from sites s
  cross join server v
  left join certificates c on c.site_id = s.id
  left join site_rules r on r.site_id = s.id
  where s.account_id = p_account_id
  order by s.id;
$$;
grant execute on function panel.show_sites to panel_api, panel_worker;
