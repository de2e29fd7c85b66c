-- Records that nothing better than the served certificate can be had now.  A name that does not
-- point here yet is checked again, like any other that does not.
create or replace function panel.rest_certificate(p_site_id bigint, p_epoch integer)
returns boolean
language plpgsql volatile security definer
as $$
begin
  if (select account_id from hold_certificate(p_site_id, p_epoch, 'order')) is null then
    return false;
  end if;
  update certificates c
  set epoch = c.epoch + 1, request = null, tries = c.tries + 1,
    -- The pause is null after the last look, which `least` ignores.
    due_at = least(c.renew_at, now() + certificate_pause(c.tries + 1, false))
  where c.site_id = p_site_id;
  return true;
end;
$$;
grant execute on function panel.rest_certificate to panel_courier;
