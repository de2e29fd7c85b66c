-- Has the courier order the certificate of the panel itself, if one is due. Repeated calls create
-- only one job.
create or replace function panel.order_own_certificate()
returns void
language plpgsql volatile security definer
as $$
begin
  perform courier_queue.add_job(
    identifier => 'certificate/order-own',
    payload => '{}'::json,
    queue_name => 'certificate/order-own',
    -- In the far past, so that a clock set back delays nothing.
    run_at => '2000-01-01 00:00:00+00',
    max_attempts => 3,
    job_key => 'certificate/order-own')
  from own_certificate c, server s
  where c.due_at <= now() and c.chain is null and s.issues_certificates;
end;
$$;
grant execute on function panel.order_own_certificate to panel_worker;
