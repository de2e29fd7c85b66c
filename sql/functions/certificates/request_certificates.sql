-- Makes certificates due for an account's websites, if this server gets any: for new websites, and
-- for those whose attempts have ended. The caller does not wait for it. Internal: the callers hold
-- the account's row lock.
create or replace function panel.request_certificates(p_account_id bigint)
returns void
language plpgsql volatile
as $$
declare
  v_site_id bigint;
begin
  if not (select issues_certificates from server) then
    return;
  end if;
  for v_site_id in
    insert into certificates as c (site_id)
    select s.id from sites s
    where s.account_id = p_account_id and s.desired = 'present' and s.added_by is null
    on conflict (site_id) do update set due_at = now(), attempts = 0 where c.due_at is null
    returning c.site_id
  loop
    perform enqueue_certificate(v_site_id);
  end loop;
end;
$$;
