-- Reserves a mailbox of an account's domain for the operation that adds it; or adds nothing and
-- returns why: `refusal` is unknown (the account has no such mail domain), mailboxes (the package
-- allows `allowed`), taken, or deleting (one of the name is still being removed).
create or replace function panel.add_mailbox(
  p_operation_id uuid,
  p_account_id bigint,
  p_domain text,
  p_local_part text,
  p_hash text,
  p_quota_mb integer,
  out id bigint,
  out refusal text,
  out allowed integer
)
language plpgsql volatile security definer
as $$
declare
  v_domain_id bigint;
begin
  -- Concurrent requests cannot both take the last slot.
  perform lock_lane(p_account_id);
  if not exists (select from operations o where o.id = p_operation_id and o.state = 'claimed') then
    raise exception 'operation % is not claimed', p_operation_id;
  end if;
  if not is_mail_local_part(p_local_part) then
    raise exception 'this is no mailbox' using errcode = 'data_exception';
  end if;
  allowed := max_mailboxes_of(p_account_id);
  select d.id into v_domain_id
  from mail_domains d
  where d.account_id = p_account_id and d.domain = p_domain and d.desired = 'present'
    and d.added_by is null;
  if not found then
    refusal := 'unknown';
    return;
  end if;
  select case m.desired when 'absent' then 'deleting' else 'taken' end into refusal
  from mailboxes m
  where m.domain_id = v_domain_id and m.local_part = p_local_part;
  if refusal is null
    and (select count(*) from mailboxes m where m.account_id = p_account_id) >= allowed then
    refusal := 'mailboxes';
  end if;
  if refusal is null then
    insert into mailboxes as m (account_id, domain_id, local_part, hash, quota_mb, added_by)
    values (p_account_id, v_domain_id, p_local_part, p_hash, p_quota_mb, p_operation_id)
    returning m.id into id;
  end if;
end;
$$;
grant execute on function panel.add_mailbox to panel_api;
