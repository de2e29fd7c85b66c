-- Returns the addresses of the mailboxes that an account has.
create or replace function panel.list_mailbox_names(p_account_id bigint)
returns text[]
language sql stable strict security definer
as $$
  select coalesce(array_agg(m.local_part || '@' || d.domain order by d.domain, m.local_part), '{}')
  from mailboxes m
  join mail_domains d on d.id = m.domain_id
  where m.account_id = p_account_id and m.desired = 'present';
$$;
grant execute on function panel.list_mailbox_names to panel_api;
