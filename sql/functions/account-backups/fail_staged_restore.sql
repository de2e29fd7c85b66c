-- Records that the restore which an operation was to complete has failed. Internal.
create or replace function panel.fail_staged_restore(p_id uuid)
returns void
language sql volatile
as $$
  select fail_account_restore(r.id, coalesce(nullif(o.error, ''), 'It was not completed'))
  from operations o
  join account_restores r on r.account_id = o.account_id and r.state = 'staged'
  where o.id = p_id and o.name = 'backup/finish-restore';
$$;
