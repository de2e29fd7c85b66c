-- Records why names of a website are left out of its next order, by name, and which of them the
-- authority has refused; null keeps these.
create or replace function panel.record_missing(
  p_site_id bigint,
  p_epoch integer,
  p_missing jsonb,
  p_refused text[]
)
returns boolean
language plpgsql volatile security definer
as $$
begin
  if (select account_id from lock_certificate(p_site_id, p_epoch, 'order')) is null then
    return false;
  end if;
  update certificates c
  set refused = coalesce(p_refused, c.refused),
    -- The reasons of refused names, which are not checked again.
    missing = (
      select coalesce(jsonb_object_agg(key, value), '{}')
      from jsonb_each(c.missing)
      where key = any (coalesce(p_refused, c.refused))) || p_missing
  where c.site_id = p_site_id;
  return true;
end;
$$;
grant execute on function panel.record_missing to panel_courier;
