-- Returns the alias of an account's domain that an operation sets, and reserves it for the
-- operation if the account has none of the name; or adds nothing and returns why: `refusal` is
-- unknown (the account has no such mail domain), aliases (the account may have `allowed`), or
-- deleting (one of the name is still being added or removed).
create or replace function panel.add_mail_alias(
  p_operation_id uuid,
  p_account_id bigint,
  p_domain text,
  p_local_part text,
  p_targets text[],
  out id bigint,
  out refusal text,
  out allowed integer
)
language plpgsql volatile security definer
as $$
declare
  v_domain_id bigint;
  v_is_there  boolean;
begin
  -- Concurrent requests cannot both take the last slot.
  perform lock_lane(p_account_id);
  if not exists (select from operations o where o.id = p_operation_id and o.state = 'claimed') then
    raise exception 'operation % is not claimed', p_operation_id;
  end if;
  if not is_mail_local_part(p_local_part)
    or exists (select from unnest(p_targets) one where not is_mail_target(one)) then
    raise exception 'this is no alias' using errcode = 'data_exception';
  end if;
  -- As many as ten for each mailbox.
  allowed := 10 * max_mailboxes_of(p_account_id);
  select d.id into v_domain_id
  from mail_domains d
  where d.account_id = p_account_id and d.domain = p_domain and d.desired = 'present'
    and d.added_by is null;
  if not found then
    refusal := 'unknown';
    return;
  end if;
  select x.id, x.desired = 'present' and x.added_by is null into id, v_is_there
  from mail_aliases x
  where x.domain_id = v_domain_id and x.local_part = p_local_part;
  if found and v_is_there then
    return;
  elsif found then
    id := null;
    refusal := 'deleting';
  elsif (select count(*) from mail_aliases x where x.account_id = p_account_id) >= allowed then
    refusal := 'aliases';
  else
    insert into mail_aliases as x (account_id, domain_id, local_part, targets, added_by)
    values (p_account_id, v_domain_id, p_local_part, p_targets, p_operation_id)
    returning x.id into id;
  end if;
end;
$$;
grant execute on function panel.add_mail_alias to panel_api;
