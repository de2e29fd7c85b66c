-- Records a check of a mail domain: the result of each record, and what shows whose domain it is.
-- `p_found` is mx, address (its mail leads to this server), null (it does not), or unknown (the
-- name servers did not answer, which changes nothing). `p_proofs` are the secrets in its TXT
-- records: another account's takes the domain from one that has not proved it. Returns the domain's
-- state, `released`, or null if a later check has begun.
create or replace function panel.record_mail_check(
  p_id bigint,
  p_epoch integer,
  p_found text,
  p_proofs text[],
  -- `[{"record", "result", "found"}]`
  p_records jsonb
)
returns text
language plpgsql volatile security definer
as $$
declare
  v_domain mail_domains%rowtype;
  v_found  text;
  v_state  text;
begin
  select * into v_domain from mail_domains where id = p_id;
  if not found then
    return null;
  end if;
  -- Lanes are locked before their rows.
  perform lock_lane(v_domain.account_id);
  select * into v_domain from mail_domains where id = p_id and check_epoch = p_epoch;
  if not found or v_domain.desired <> 'present' or v_domain.added_by is not null then
    return null;
  end if;
  insert into mail_domain_records (domain_id, record, result, found, checked_at)
  select p_id, r.record, r.result, r.found, now()
  from jsonb_to_recordset(p_records) r (record text, result text, found text[])
  on conflict (domain_id, record) do update
    set result = excluded.result, found = excluded.found, checked_at = excluded.checked_at;
  v_found := case
    when v_domain.proof = any (p_proofs) then 'txt'
    when p_found <> 'unknown' then p_found
  end;
  if v_found is null and p_found = 'unknown' then
    update mail_domains set check_at = now() + interval '15 minutes', checked_at = now()
    where id = p_id;
    return v_domain.state;
  end if;
  if v_domain.verified_at is null and v_found is distinct from 'txt'
    and is_proved_by_another(p_id, v_found, p_proofs) then
    perform release_mail_domain(p_id);
    return 'released';
  end if;
  v_state := record_mail_domain_seen(v_domain.domain, v_found);
  update mail_domains d
  set check_at = now() + case
    when d.state = 'active' and d.missing_since is null
      -- Spread out, so that they are not all due again at once.
      then (20 + 8 * random()) * interval '1 hour'
    when d.state = 'pending' and d.created_at > now() - interval '1 hour'
      then interval '5 minutes'
    when d.state = 'pending' and d.created_at < now() - interval '7 days'
      then (20 + 8 * random()) * interval '1 hour'
    else interval '1 hour'
  end
  where d.id = p_id;
  return v_state;
end;
$$;
grant execute on function panel.record_mail_check to panel_courier;
