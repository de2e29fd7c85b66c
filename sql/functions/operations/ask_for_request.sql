-- Records which of a website's names point here, and has root generate a key and a request for
-- them.
create or replace function panel.ask_for_request(
  p_site_id bigint,
  p_epoch integer,
  p_names text[]
)
returns boolean
language plpgsql volatile security definer
as $$
declare
  v_account_id bigint := (select account_id from lock_certificate(p_site_id, p_epoch, 'order'));
begin
  if v_account_id is null then
    return false;
  end if;
  update certificates c
  set step = 'request', names = p_names, request = null, epoch = c.epoch + 1, due_at = now()
  where c.site_id = p_site_id;
  update sites s set ssl = 'pending' where s.id = p_site_id and s.ssl <> 'issued';
  perform begin_certificate(v_account_id, 'certificate/request');
  return true;
end;
$$;
grant execute on function panel.ask_for_request to panel_courier;
