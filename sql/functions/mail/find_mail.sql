-- Returns the state of an account and of what changes of its mail, for an operation about it, for
-- its undo. Null if the operation may not start yet.
create or replace function panel.find_mail(p_id uuid)
returns jsonb
language sql stable strict security definer
as $$
  select find_account(p_id)
    || coalesce((
      select jsonb_build_object('catch_all', d.catch_all)
      from operations o
      join mail_domains d on d.id::text = o.params ->> 'domain_id' and d.account_id = o.account_id
      where o.id = p_id), '{}')
    || coalesce((
      select jsonb_build_object(
        'hash', m.hash, 'quota_mb', m.quota_mb, 'autoresponder', m.autoresponder,
        'filters', m.filters)
      from operations o
      join mailboxes m on m.id::text = o.params ->> 'mailbox_id' and m.account_id = o.account_id
      where o.id = p_id), '{}')
    || coalesce((
      select jsonb_build_object('targets', to_jsonb(x.targets))
      from operations o
      join mail_aliases x on x.id::text = o.params ->> 'alias_id' and x.account_id = o.account_id
      where o.id = p_id), '{}');
$$;
grant execute on function panel.find_mail to panel_worker;
