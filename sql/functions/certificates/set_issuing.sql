-- Records at a worker's start whether this server gets certificates for its websites. If it does,
-- websites without a row become due, and so do those whose certificate is missing on the machine
-- (it was rebuilt from the rows, which hold no keys). The sweeper wakes the courier.
create or replace function panel.set_issuing(p_is_issuing boolean, p_served_site_ids bigint[])
returns void
language plpgsql volatile security definer
as $$
begin
  update server set issues_certificates = p_is_issuing
  where issues_certificates is distinct from p_is_issuing;
  if not p_is_issuing then
    return;
  end if;

  insert into certificates (site_id)
  select s.id
  from sites s join accounts a on a.id = s.account_id
  where a.state in ('active', 'suspended')
  on conflict (site_id) do nothing;

  with lost as (
    update certificates c
    set step = 'order', request = null, chain = null, epoch = c.epoch + 1, attempts = 0,
      due_at = now(), installed_names = null, issuer = null, expires_at = null, renew_at = null
    where c.installed_names is not null and c.site_id <> all (p_served_site_ids)
    returning c.site_id
  )
  update sites s set ssl = 'none' from lost where s.id = lost.site_id;
end;
$$;
grant execute on function panel.set_issuing to panel_worker;
