-- Records that a certificate is served, with its event. It is renewed at two thirds of its life,
-- plus or minus a fortieth, so that certificates of one day are not all renewed on one day; its
-- authority is asked within a day whether it suggests another time.
create or replace function panel.record_installed(
  p_site_id bigint,
  p_epoch integer,
  p_operation_id uuid,
  p_issuer text,
  p_begins_at timestamptz,
  p_expires_at timestamptz,
  p_renewal_id text,
  p_event bytea
)
returns boolean
language plpgsql volatile security definer
as $$
declare
  v_account_id bigint := (select account_id from lock_certificate(p_site_id, p_epoch, 'install'));
  v_renew_at   timestamptz := p_begins_at
    + (p_expires_at - p_begins_at) * (2.0 / 3 + (random() - 0.5) / 20);
begin
  if v_account_id is null then
    return false;
  end if;
  update certificates c
  set step = 'order', epoch = c.epoch + 1, attempts = 0, request = null, chain = null,
    -- Why the domain itself is not on it.
    error = case when s.domain <> all (c.names) then c.missing ->> s.domain end,
    installed_names = c.names, issuer = p_issuer, expires_at = p_expires_at,
    renew_at = v_renew_at, renewal_id = p_renewal_id,
    -- `least` ignores nulls.
    due_at = least(
      v_renew_at,
      case when p_renewal_id is not null then now() + (1 + random()) * interval '12 hours' end,
      -- Names that did not point here are checked again before that.
      case
        when not served_names(p_site_id) <@ c.names
        then now() + certificate_pause(1, true)
      end)
  from sites s
  where c.site_id = p_site_id and s.id = p_site_id;
  -- A certificate for other names alone is not the website's yet.
  update sites s set ssl = case when s.domain = any (c.names) then 'issued' else 'none' end
  from certificates c
  where s.id = p_site_id and c.site_id = s.id;
  perform emit('ssl.issued', v_account_id, p_operation_id, p_event)
  from sites s where s.id = p_site_id and s.ssl = 'issued';
  return true;
end;
$$;
grant execute on function panel.record_installed to panel_worker;
