-- Reserves a mail domain for an account and the operation that adds it; or adds nothing and returns
-- why: `refusal` is off (the server has no mail), domains (the package allows `allowed`), taken,
-- claimed (another account has it and has not proved it: with the TXT record `proof` this account
-- gets it), own (the account has it), deleting (it is still being removed), or a result of
-- domain_conflict.sql.
create or replace function panel.add_mail_domain(
  p_operation_id uuid,
  p_account_id bigint,
  p_domain text,
  -- Whether the caller is root on the command line (domain_conflict.sql).
  p_is_root boolean,
  out id bigint,
  out refusal text,
  out allowed integer,
  out proof text
)
language plpgsql volatile security definer
as $$
declare
  v_is_claimed boolean;
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

  select d.account_id <> p_account_id and d.desired = 'present' and d.verified_at is null,
    case
      when d.desired = 'absent' then 'deleting'
      when d.account_id <> p_account_id then case when d.verified_at is not null then 'taken' end
      else 'own'
    end
  into v_is_claimed, refusal
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
  if refusal is null and v_is_claimed then
    refusal := 'claimed';
    insert into mail_claims as c (account_id, domain)
    values (p_account_id, p_domain)
    on conflict (account_id, domain) do update set claimed_at = now()
    returning c.proof into proof;
    -- The record may be there by now.
    update mail_domains d set check_at = least(d.check_at, now())
    where d.domain = p_domain and d.checked_at < now() - interval '1 minute';
  elsif refusal is null then
    insert into mail_domains as d (account_id, domain, added_by, proof)
    values (
      p_account_id, p_domain, p_operation_id,
      -- A record that was set for the claim proves the domain.
      coalesce((
        select c.proof from mail_claims c
        where c.account_id = p_account_id and c.domain = p_domain),
        encode(uuid_send(gen_random_uuid()), 'hex')))
    returning d.id into id;
  end if;
end;
$$;
grant execute on function panel.add_mail_domain to panel_api;
