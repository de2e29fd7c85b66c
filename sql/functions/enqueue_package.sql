-- Enqueues the job that applies a package to all of its accounts with a higher id.  Internal: the
-- callers hold the package's row.
create or replace function panel.enqueue_package(p_package_id bigint, p_after bigint)
returns void
language plpgsql volatile
as $$
begin
  update packages p
  set apply_after = p_after,
    apply_job_id = (
      select j.id
      from worker_queue.add_job(
        identifier => 'package/apply',
        payload => json_build_object('packageId', p_package_id::text),
        -- In the far past, so that a clock set back delays nothing.
        run_at => '2000-01-01 00:00:00+00',
        max_attempts => 32767) j)
  where p.id = p_package_id;
end;
$$;
