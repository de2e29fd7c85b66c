-- Enqueues the job that applies a package to all of its accounts with a higher id. Internal: the
-- callers hold the package's row lock.
create or replace function panel.enqueue_package(p_package_id bigint, p_after bigint)
returns void
language plpgsql volatile
as $$
begin
  update packages p
  set apply_after = p_after,
    apply_job_id = add_worker_job(
      'package/apply', json_build_object('packageId', p_package_id::text))
  where p.id = p_package_id;
end;
$$;
