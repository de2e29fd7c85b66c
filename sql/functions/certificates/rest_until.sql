-- Records that the served certificate cannot be improved on for now, and when its authority is
-- asked again about its renewal; null for never. A name that does not point here yet is checked
-- again, like any other that does not.
create or replace function panel.rest_until(p_site_id bigint, p_epoch integer, p_ask_at timestamptz)
returns boolean
language plpgsql volatile security definer
as $$
declare
  v_is_partial boolean := (
    select not served_names(p_site_id) <@ c.installed_names
    from certificates c where c.site_id = p_site_id);
begin
  if (select account_id from lock_certificate(p_site_id, p_epoch, 'order')) is null then
    return false;
  end if;
  update certificates c
  set epoch = c.epoch + 1, request = null,
    -- The authority is asked again for names that it has refused, a few times.
    refused = case when c.attempts >= 3 then '{}' else c.refused end,
    attempts = c.attempts + v_is_partial::integer,
    -- The pause is null after the last check, which `least` ignores.
    due_at = least(
      c.renew_at,
      p_ask_at,
      case when v_is_partial then now() + certificate_pause(c.attempts + 1, false) end)
  where c.site_id = p_site_id;
  return true;
end;
$$;
grant execute on function panel.rest_until to panel_courier;
