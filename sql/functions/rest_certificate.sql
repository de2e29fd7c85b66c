-- Records that what is served is all that can be had now.  Where a name does not point here yet, it
-- is looked at again like any other that does not.
create or replace function panel.rest_certificate(p_site_id bigint, p_epoch integer)
returns boolean
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
begin
  if (select account_id from hold_certificate(p_site_id, p_epoch, 'order')) is null then
    return false;
  end if;
  update certificates c
  set epoch = c.epoch + 1, request = null, tries = c.tries + 1,
    -- `least` passes over the null of having looked often enough.
    due_at = least(c.renew_at, now() + certificate_pause(c.tries + 1, false))
  where c.site_id = p_site_id;
  return true;
end;
$$;

revoke execute on function panel.rest_certificate from public;
grant execute on function panel.rest_certificate to panel_courier;
