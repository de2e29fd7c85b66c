-- Plans a certificate's renewal within the time that its authority suggests (RFC 9773), and returns
-- when that is. An existing plan within that time stays, so that frequent calls do not make it
-- early. If that is later than two thirds of the certificate's life, it leaves two days for
-- failures.
create or replace function panel.plan_renewal(
  p_site_id bigint,
  p_epoch integer,
  p_from timestamptz,
  p_until timestamptz
)
returns timestamptz
language sql volatile security definer
as $$
  update certificates c
  set renew_at = case
    when c.renew_at between p_from and p_until then c.renew_at
    else least(
      p_from + (p_until - p_from) * random(),
      greatest(c.renew_at, c.expires_at - interval '2 days'))
  end
  where c.site_id = p_site_id and c.epoch = p_epoch and c.step = 'order'
    and c.expires_at is not null
  returning c.renew_at;
$$;
grant execute on function panel.plan_renewal to panel_courier;
