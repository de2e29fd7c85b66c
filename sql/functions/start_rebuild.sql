-- Starts, or starts once more after its worker died, all operations that share a rebuild's job, and
-- takes their accounts' advisory locks for the caller's session (start_operation.sql).  Those that
-- cannot be had at once, or were interrupted twice, are left out: end_rebuild gives them jobs of
-- their own.
create or replace function panel.start_rebuild(p_job_id bigint)
returns table (
  id uuid,
  epoch integer,
  account json,
  password_hash text,
  parts json
)
language plpgsql volatile security definer
as $$
declare
  v_free    bigint[];
  v_held    bigint[];
  v_started bigint[];
begin
  -- A start that a crash of the server forgets only happens again, as any operation's.
  perform set_config('synchronous_commit', 'off', true);

  v_free := array(
    select a.id
    from operations o
    join accounts a on a.id = o.account_id
    where o.queue_job_id = p_job_id and o.state in ('queued', 'running') and o.starts < 2
      and (o.state = 'running' or not is_operation_paused(o.name, o.differed))
      and a.is_applied
    order by a.id
    for no key update of a skip locked);
  v_held := array(select f.id from unnest(v_free) f (id) where pg_try_advisory_lock(f.id));
  with started as (
    update operations o
    set epoch = o.epoch + 1, starts = o.starts + 1, state = 'running',
      started_at = coalesce(o.started_at, now()),
      earlier_starts = case when o.starts > 0 then with_last_start(o) end
    where o.queue_job_id = p_job_id and o.state in ('queued', 'running') and o.starts < 2
      and o.account_id = any (v_held)
    returning o.account_id
  )
  select coalesce(array_agg(s.account_id), '{}') into v_started from started s;
  -- What has ended while we came to its account.
  perform pg_advisory_unlock(e.id)
  from (select unnest(v_held) except select unnest(v_started)) e (id);

  return query
    select o.id, o.epoch, r.record, a.password_hash, secret_parts(a.id)
    from operations o
    join accounts a on a.id = o.account_id
    cross join account_record(a.id) r
    where o.queue_job_id = p_job_id and o.state = 'running' and o.account_id = any (v_started);
end;
$$;
grant execute on function panel.start_rebuild to panel_worker;
