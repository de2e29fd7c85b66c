-- Locks a website's certificate for a transition, its account first.  Returns null if a later start
-- has another epoch, or if the website is gone.  Internal.
create or replace function panel.lock_certificate(
  p_site_id bigint,
  p_epoch integer,
  p_step text,
  out account_id bigint
)
language plpgsql volatile
as $$
begin
  select s.account_id into account_id from sites s where s.id = p_site_id;
  perform from accounts a where a.id = account_id for no key update;
  perform from certificates c
  where c.site_id = p_site_id and c.epoch = p_epoch and c.step = p_step
  for no key update;
  if not found then
    account_id := null;
  end if;
end;
$$;
