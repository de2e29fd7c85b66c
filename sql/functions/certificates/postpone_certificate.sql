-- Records a failed attempt for a certificate, and when the next is due. The served certificate
-- stays, and with it the website's `issued` while it is valid. Otherwise `p_ssl` is the website's
-- state: `none` if its name does not point here, `failed` if it does.
create or replace function panel.postpone_certificate(
  p_site_id bigint,
  p_epoch integer,
  p_step text,
  p_ssl text,
  p_error text
)
returns boolean
language plpgsql volatile security definer
as $$
begin
  if (select account_id from lock_certificate(p_site_id, p_epoch, p_step)) is null then
    return false;
  end if;
  update certificates c
  -- The next attempt begins with a check of the names, and with a new key.
  set step = 'order', request = null, chain = null, epoch = c.epoch + 1,
    attempts = c.attempts + 1,
    due_at = now() + certificate_pause(c.attempts + 1, c.expires_at is not null),
    error = p_error
  where c.site_id = p_site_id;

  update sites s
  set ssl = case
      when c.expires_at > now() and s.domain = any (c.installed_names) then 'issued'
      else p_ssl
    end
  from certificates c
  where s.id = p_site_id and c.site_id = p_site_id;
  return true;
end;
$$;
grant execute on function panel.postpone_certificate to panel_courier, panel_worker;
