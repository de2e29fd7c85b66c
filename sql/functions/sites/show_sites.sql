-- The websites of an account as pages show them, the oldest first, with what there is of their
-- certificates and why there is no more.
create or replace function panel.show_sites(p_account_id bigint)
returns table (
  domain text,
  state text,
  ssl text,
  -- Whether visitors by HTTP are sent to HTTPS, once there is a certificate.
  is_https_only boolean,
  -- Whether visitors get source files, copies of them and dumps of databases.
  serves_sources boolean,
  -- The names on the certificate that is served, and until when it is valid.
  names text[],
  issuer text,
  expires_at timestamptz,
  -- Where its names point, or what an order came to.
  error text,
  -- When somebody looks again; null where nobody does by themselves.
  due_at timestamptz,
  -- Whether this server gets certificates at all.
  is_issuing boolean,
  -- What its .htaccess files say that is not applied, and when that was read; null before.
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
