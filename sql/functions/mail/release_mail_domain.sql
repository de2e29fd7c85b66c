-- Removes an unproved mail domain from its account, because another account has proved it: with its
-- mailboxes, whose mail stays among the account's files, and its aliases. Internal: the caller
-- holds the lane lock.
create or replace function panel.release_mail_domain(p_id bigint)
returns void
language plpgsql volatile
as $$
declare
  v_account_id bigint;
  v_domain     text;
begin
  update mailboxes set desired = 'absent' where domain_id = p_id;
  update mail_aliases set desired = 'absent' where domain_id = p_id;
  update mail_domains set desired = 'absent' where id = p_id
  returning account_id, domain into v_account_id, v_domain;
  perform apply_accounts(array[v_account_id]);
  perform add_notice_cause(
    'mail-domain', 'released:' || gen_random_uuid(), v_account_id, jsonb_build_object(
      'username', (select username from accounts where id = v_account_id),
      'domain', v_domain, 'what', 'released', 'until', null));
end;
$$;
