-- Records that an unfinished restore has failed, and why. Internal.
create or replace function panel.fail_account_restore(p_id bigint, p_error text)
returns void
language sql volatile
as $$
  update account_restores
  set state = 'failed', finished_at = now(), rows = null,
    error = left(coalesce(nullif(p_error, ''), 'It failed'), 1000)
  where id = p_id and state in ('saving', 'reading', 'staged');
$$;
