-- Returns the websites of an account for pages, oldest first, with the state of their certificates
-- and why one is missing.
create or replace function panel.show_sites(p_account_id bigint)
returns table (
  domain text,
  state text,
  ssl text,
  -- Whether visitors using HTTP are redirected to HTTPS, once there is a certificate.
  is_https_only boolean,
  -- Whether visitors can download source files, copies of them and database dumps.
  serves_sources boolean,
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
  -- The rules in its .htaccess files that are not applied, and when they were read; null before.
  rules jsonb,
  rules_read_at timestamptz
)
language sql stable security definer
as $$
  select s.domain,
    case
      when s.added_by is not null then 'adding'
      when s.desired = 'absent' then 'removing'
      else 'present'
    end,
    s.ssl, s.https_only, s.serves_sources,
    c.installed_names, c.issuer, c.expires_at, c.error, c.due_at, v.issues_certificates,
    r.found, r.read_at
  from sites s
  cross join server v
  left join certificates c on c.site_id = s.id
  left join site_rules r on r.site_id = s.id
  where s.account_id = p_account_id
  order by s.id;
$$;
grant execute on function panel.show_sites to panel_api;
