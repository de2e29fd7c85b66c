-- Records how a mail domain was found in DNS: `p_found` is mx or address (its mail leads to this
-- server), txt (its record has the proof), or null (neither). It gets mail once it is proved: by
-- the proof, or, if the account has a website of the name, by its mail. Once proved, it stays so
-- until it has not been found for 7 days. The account is applied if that changes something.
create or replace function panel.record_mail_domain_seen(p_domain text, p_found text)
returns text
language plpgsql volatile security definer
as $$
declare
  v_domain mail_domains%rowtype;
  v_state  text;
begin
  select * into v_domain from mail_domains where domain = p_domain;
  if not found then
    return null;
  end if;
  -- Lanes are locked before their rows.
  perform lock_lane(v_domain.account_id);
  select * into v_domain from mail_domains where id = v_domain.id;
  if not found then
    return null;
  end if;
  v_state := case
    when p_found = 'txt' then 'active'
    when p_found in ('mx', 'address') and (
      v_domain.verified_at is not null
      or exists (
        select
        from site_names n
        join sites s on s.id = n.site_id
        where n.name = p_domain and s.account_id = v_domain.account_id)) then 'active'
    when v_domain.missing_since < now() - interval '7 days' then 'pending'
    else v_domain.state
  end;
  update mail_domains
  set checked_at = now(),
    state = v_state,
    missing_since = case when p_found is null then coalesce(missing_since, now()) end,
    verified_at = case
      when v_state = 'active' then coalesce(verified_at, now())
      -- It has to be proved again.
      when state = 'active' then null
      else verified_at
    end,
    left_at = case
      when v_state = 'active' then null
      when state = 'active' then now()
      else left_at
    end
  where id = v_domain.id;
  if v_state <> v_domain.state then
    perform apply_accounts(array[v_domain.account_id]);
  end if;
  return v_state;
end;
$$;
