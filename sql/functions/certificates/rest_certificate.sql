-- Records that the served certificate cannot be improved on for now, for the previous release: its
-- authority is not asked about its renewal.
create or replace function panel.rest_certificate(p_site_id bigint, p_epoch integer)
returns boolean
language plpgsql volatile security definer
as $$
begin
  return rest_until(p_site_id, p_epoch, null);
end;
$$;
grant execute on function panel.rest_certificate to panel_courier;
