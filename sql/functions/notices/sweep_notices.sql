-- Finds new causes and ends those that have not been found for an hour: one that flaps is one
-- cause. Then makes a mail of what each person is to be notified of, if the last one was made an
-- hour ago or earlier: several within an hour are one. Concurrent calls wait for each other.
create or replace function panel.sweep_notices(p_newer text)
returns void
language plpgsql volatile security definer
as $$
declare
  v_found  jsonb;
  v_cause  record;
  v_person record;
  v_mail   uuid;
begin
  perform pg_advisory_xact_lock(-6);
  v_found := coalesce((select jsonb_agg(f) from find_notice_causes(p_newer) f), '[]');
  update notice_causes c
  set gone_since = null
  from jsonb_to_recordset(v_found) f (kind text, key text)
  where c.kind = f.kind and c.key = f.key and c.ended_at is null and c.gone_since is not null;
  update notice_causes c
  set gone_since = coalesce(gone_since, now()),
    ended_at = case when c.gone_since <= now() - interval '1 hour' then now() end
  where c.ended_at is null and c.kind = any (found_notice_kinds())
    and (c.gone_since is null or c.gone_since <= now() - interval '1 hour')
    and not exists (
      select from jsonb_to_recordset(v_found) f (kind text, key text)
      where f.kind = c.kind and f.key = c.key);
  for v_cause in
    select f.*
    from jsonb_to_recordset(v_found) f (kind text, key text, account_id bigint, content jsonb)
    where not exists (
      select from notice_causes c
      where c.kind = f.kind and c.key = f.key and c.ended_at is null)
  loop
    perform add_notice_cause(v_cause.kind, v_cause.key, v_cause.account_id, v_cause.content);
  end loop;

  -- Without a relay for a day they are too old to be of use.
  delete from notices where mail_id is null and created_at < now() - interval '1 day';
  if (select mail_relay is null from server) then
    return;
  end if;
  for v_person in
    select distinct n.operator_id, n.account_id
    from notices n
    where n.mail_id is null and not exists (
      select from notice_mails m
      where (m.operator_id = n.operator_id or m.account_id = n.account_id)
        and m.created_at > now() - interval '1 hour')
  loop
    insert into notice_mails (operator_id, account_id)
    values (v_person.operator_id, v_person.account_id)
    returning id into v_mail;
    update notices n set mail_id = v_mail
    where n.mail_id is null
      and (n.operator_id = v_person.operator_id or n.account_id = v_person.account_id);
  end loop;
end;
$$;
grant execute on function panel.sweep_notices to panel_courier;
