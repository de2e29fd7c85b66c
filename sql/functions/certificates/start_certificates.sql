-- Starts root's step for those of an account's certificates that are waiting for it. The caller
-- runs an operation of the account and holds its lock.
create or replace function panel.start_certificates(
  p_account_id bigint,
  p_step text,
  out site_id bigint,
  out epoch integer,
  out names text[],
  out chain text
)
returns setof record
language sql volatile security definer
as $$
  update certificates c
  set epoch = c.epoch + 1
  from sites s join accounts a on a.id = s.account_id
  where c.site_id = s.id and s.account_id = p_account_id and c.step = p_step
    and p_step in ('request', 'install') and a.state in ('active', 'suspended')
  returning c.site_id, c.epoch, c.names, c.chain;
$$;
grant execute on function panel.start_certificates to panel_worker;
