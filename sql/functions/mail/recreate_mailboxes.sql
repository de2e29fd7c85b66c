-- Adds mailboxes of a backup that an account has no longer, for an operation, where it still has
-- the mail domain; see recreate_restored.sql. Internal.
create or replace function panel.recreate_mailboxes(p_id uuid, p_account_id bigint, p_rows jsonb)
returns boolean
language plpgsql volatile
as $$
declare
  v_one jsonb;
begin
  for v_one in select jsonb_array_elements(p_rows -> 'mailboxes') loop
    insert into mailboxes (
      account_id, domain_id, local_part, hash, quota_mb, autoresponder, added_by, desired)
    select p_account_id, d.id, v_one ->> 'local_part', v_one ->> 'hash',
      (v_one ->> 'quota_mb')::integer, nullif(v_one -> 'autoresponder', 'null'), p_id, 'present'
    from mail_domains d
    where d.account_id = p_account_id and d.domain = v_one ->> 'domain' and d.desired = 'present'
      and (select count(*) from mailboxes m where m.account_id = p_account_id)
        < max_mailboxes_of(p_account_id)
    on conflict (domain_id, local_part) do nothing;
  end loop;
  return exists (select from mailboxes where account_id = p_account_id and added_by = p_id);
end;
$$;
