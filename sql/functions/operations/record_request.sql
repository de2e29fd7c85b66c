-- Stores root's request, and has the courier order with it.
create or replace function panel.record_request(
  p_site_id bigint,
  p_epoch integer,
  p_request text
)
returns boolean
language plpgsql volatile security definer
as $$
begin
  if (select account_id from lock_certificate(p_site_id, p_epoch, 'request')) is null then
    return false;
  end if;
  update certificates c
  set step = 'order', request = p_request, due_at = now()
  where c.site_id = p_site_id;
  perform enqueue_certificate(p_site_id);
  return true;
end;
$$;
grant execute on function panel.record_request to panel_worker;
