-- Has the courier check a mail domain now; returns whether it will, as the last check was not a
-- moment ago. The request does not wait for it.
create or replace function panel.check_mail_domain(p_account_id bigint, p_domain text)
returns boolean
language plpgsql volatile security definer
as $$
begin
  update mail_domains d
  set check_at = now()
  where d.account_id = p_account_id and d.domain = p_domain and d.desired = 'present'
    and d.added_by is null
    and (d.checked_at is null or d.checked_at < now() - interval '10 seconds');
  if not found then
    return false;
  end if;
  perform courier_queue.add_job(
    identifier => 'mail/check-domains',
    payload => '{}'::json,
    queue_name => 'mail/check-domains',
    -- In the far past, so that a clock set back delays nothing.
    run_at => '2000-01-01 00:00:00+00',
    max_attempts => 3,
    job_key => 'mail/check-domains');
  return true;
end;
$$;
grant execute on function panel.check_mail_domain to panel_api;
