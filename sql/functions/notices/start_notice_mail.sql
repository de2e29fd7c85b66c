-- Begins an attempt of the mail that is due for the longest time, and returns it; no row if none is
-- due. The attempt counts before it is made: if this process is killed after the relay accepted the
-- mail, it is sent again, but not forever.
create or replace function panel.start_notice_mail(
  out id uuid,
  out name text,
  out email text,
  out role text,
  -- The notices, oldest first: `[{"kind", "content"}]`.
  out notices jsonb
)
returns setof record
language plpgsql volatile security definer
as $$
declare
  v_mail notice_mails;
begin
  update notice_mails m
  set attempts = m.attempts + 1,
    -- After 1, 2, 4 ... minutes, at most 4 hours: about a day in all.
    due_at = now() + interval '1 minute' * least(240, 2 ^ m.attempts)
  where m.id = (
    select d.id from notice_mails d
    where d.state = 'due' and d.due_at <= now()
    order by d.due_at
    limit 1
    for update skip locked)
  returning m.* into v_mail;
  if v_mail.id is null then
    return;
  end if;
  if v_mail.attempts > 13 then
    update notice_mails m set state = 'failed' where m.id = v_mail.id;
  end if;
  return query
    select v_mail.id, coalesce(o.name, a.username), coalesce(o.email, a.email),
      coalesce(o.role, 'customer'), (
        select coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'content', c.content)
          order by c.began_at, c.id), '[]')
        from notices n join notice_causes c on c.id = n.cause_id
        where n.mail_id = v_mail.id)
    from (select) one
    left join operators o on o.id = v_mail.operator_id
    left join accounts a on a.id = v_mail.account_id;
end;
$$;
grant execute on function panel.start_notice_mail to panel_courier;
