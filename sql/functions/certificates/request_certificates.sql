-- Makes certificates due for an account's websites, if this server gets any: for new websites, for
-- those whose attempts have ended, and for those with a new name, two minutes after an order at the
-- earliest: names are often added one after the other. The caller does not wait for it. Internal:
-- the callers hold the account's row lock.
create or replace function panel.request_certificates(p_account_id bigint)
returns void
language plpgsql volatile
as $$
declare
  v_site record;
begin
  if not (select issues_certificates from server) then
    return;
  end if;
  for v_site in
    insert into certificates as c (site_id)
    select s.id from sites s
    where s.account_id = p_account_id and s.desired = 'present' and s.added_by is null
    on conflict (site_id) do update
    set due_at = greatest(now(), c.ordered_at + interval '2 minutes'), attempts = 0
    where c.due_at is null
      -- Not in progress.
      or c.step = 'order' and c.due_at > now() and exists (
        select from site_aliases x
        where x.site_id = c.site_id and not x.is_checked and x.desired = 'present'
          and x.added_by is null)
    returning c.site_id, c.due_at <= now() as is_due
  loop
    -- The sweeper enqueues those that become due later.
    continue when not v_site.is_due;
    perform enqueue_certificate(v_site.site_id);
  end loop;
end;
$$;
