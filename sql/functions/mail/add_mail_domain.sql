-- Reserves a mail domain for an account and the operation that adds it; or adds nothing and returns
-- why: `refusal` is off (the server has no mail), domains (the package allows `allowed`), taken,
-- own (the account has it), deleting (it is still being removed), or a result of
-- domain_conflict.sql.
create or replace function panel.add_mail_domain(
  p_operation_id uuid,
  p_account_id bigint,
  p_domain text,
  -- Whether the caller is root on the command line (domain_conflict.sql).
  p_is_root boolean,
  out id bigint,
  out refusal text,
  out allowed integer
)
language plpgsql volatile security definer
as $$
begin
  -- Concurrent requests cannot both take the last slot, nor two accounts a domain and one below it.
  perform lock_lane(p_account_id);
  perform pg_advisory_xact_lock(-3);
  if not exists (select from operations o where o.id = p_operation_id and o.state = 'claimed') then
    raise exception 'operation % is not claimed', p_operation_id;
  end if;
  if is_domain(p_domain) is not true then
    raise exception 'this is no domain' using errcode = 'data_exception';
  end if;
  -- As many as mailboxes, though some may be for forwards alone.
  allowed := max_mailboxes_of(p_account_id);

  select case
      when d.account_id is distinct from p_account_id then 'taken'
      when d.desired = 'absent' then 'deleting'
      else 'own'
    end
  into refusal
  from mail_domains d
  where d.domain = p_domain;
  if (select s.mail ->> 'host' from server s) is null then
    refusal := 'off';
  elsif refusal is null
    and (select count(*) from mail_domains d where d.account_id = p_account_id) >= allowed then
    refusal := 'domains';
  elsif refusal is null and exists (
      select
      from site_names n
      join sites s on s.id = n.site_id
      where n.name in (p_domain, 'www.' || p_domain) and s.account_id <> p_account_id) then
    refusal := 'taken';
  elsif refusal is null then
    refusal := domain_conflict(p_account_id, p_domain, p_is_root);
  end if;
  if refusal is null then
    insert into mail_domains as d (account_id, domain, added_by)
    values (p_account_id, p_domain, p_operation_id)
    returning d.id into id;
  end if;
end;
$$;
grant execute on function panel.add_mail_domain to panel_api;
