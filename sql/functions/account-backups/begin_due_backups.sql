-- Begins the backups of accounts that are due by their packages, as operations; returns how many. A
-- day's are spread from 1:00 to 5:00 in the database's time zone by the account's number, those of
-- an hour over the hour. A failed one is due again after an hour. Few are begun at a time, so that
-- dumps do not wait in the spool.
create or replace function panel.begin_due_backups()
returns integer
language plpgsql volatile security definer
as $$
declare
  v_account record;
  v_count   integer := 0;
  v_free    integer := 4 - (
    select count(*) from account_backups where state in ('preparing', 'ready', 'running'));
begin
  if v_free <= 0 or not exists (select from backup_targets where is_default) then
    return 0;
  end if;
  for v_account in
    select a.id
    from accounts a
    join packages p on p.id = a.package_id and p.backups <> 'none'
    cross join lateral backup_due_at(a.id, p.backups) d (due_at)
    where a.state in ('active', 'suspended') and a.is_applied
      and not is_paused('backup/create')
      and not exists (
        select from account_backups b
        where b.account_id = a.id and (
          b.state in ('preparing', 'ready', 'running')
          or b.state = 'done' and b.created_at >= d.due_at
          or b.state = 'failed' and b.created_at > now() - interval '1 hour'))
      and not exists (
        select from account_restores s
        where s.account_id = a.id and s.state in ('saving', 'reading', 'staged'))
      and not exists (
        select from operations o
        where o.lane = a.id and o.state in ('blocked', 'queued', 'running', 'undoing'))
    order by d.due_at, a.id
    limit v_free
    for no key update of a skip locked
  loop
    perform begin_internal(v_account.id, 'backup/create');
    v_count := v_count + 1;
  end loop;
  return v_count;
end;
$$;
grant execute on function panel.begin_due_backups to panel_worker;
