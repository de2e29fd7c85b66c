-- Stores the issued certificate and has root check and install it.
create or replace function panel.record_order(p_site_id bigint, p_epoch integer, p_chain text)
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
  set step = 'install', chain = p_chain, epoch = c.epoch + 1, due_at = now()
  where c.site_id = p_site_id;
  perform begin_certificate(v_account_id, 'certificate/install');
  return true;
end;
$$;
grant execute on function panel.record_order to panel_courier;
