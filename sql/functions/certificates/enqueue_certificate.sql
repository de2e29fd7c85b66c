-- Enqueues the courier's job for a website's certificate under a new epoch. Internal: the callers
-- hold the certificate's row lock.
create or replace function panel.enqueue_certificate(p_site_id bigint)
returns void
language plpgsql volatile
as $$
begin
  update certificates c
  set epoch = c.epoch + 1,
    queue_job_id = (
      select j.id
      from courier_queue.add_job(
        identifier => 'certificate/order',
        payload => json_build_object('siteId', p_site_id::text),
        -- An authority may take long, so there are at most eight orders at once.
        queue_name => 'certificate:' || p_site_id % 8,
        -- In the far past, so that a clock set back delays nothing.
        run_at => '2000-01-01 00:00:00+00',
        max_attempts => 32767,
        job_key => 'certificate:' || p_site_id || ':' || c.epoch + 1,
        job_key_mode => 'unsafe_dedupe') j)
  where c.site_id = p_site_id;
end;
$$;
